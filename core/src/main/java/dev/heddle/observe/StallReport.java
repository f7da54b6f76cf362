// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.time.Duration;
import java.util.List;

/// Nothing has happened in a loop for a while: its coroutines wait in the JDK for locks and queues,
/// nothing is armed that could wake one, and so only another thread could.
///
/// Not a verdict, for that thread may come; hence it is said once in the life of a loop, and nobody
/// is cancelled. Waits that end by themselves (a sleep, a bounded wait) or from outside (a socket)
/// are no stall. Nor is a wait for a queue, a condition or a future while a platform thread outside
/// the loop runs, or will by itself: that one may feed it.
///
/// @param dump every coroutine, with its stack and what the JDK tells of its blocker
/// @param after how long nothing had happened by then
/// @param unavailable what the JDK does not tell about these waits, in words
/// @since 0.1
public record StallReport(Dump dump, Duration after, List<String> unavailable)
    implements LoopReport {
  @Override
  public String loop() {
    return dump.loop();
  }

  /// The cycles of coroutines that wait for one another, as far as the JDK tells who holds what;
  /// each beginning with its lowest number.
  public List<List<CoroutineSnapshot>> cycles() {
    return new WaitGraph(dump).cycles();
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append("Stall: nothing has happened in loop '")
        .append(loop())
        .append("' for ")
        .append(DumpText.inWords(after))
        .append(", and nothing in it can wake a coroutine: all wait in the JDK\n")
        .append(new WaitGraph(dump).inWords())
        .append('\n')
        .append(new DumpText(dump).tree());
    unavailable.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}
