// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.internal.InWords;
import java.time.Duration;
import java.util.List;

/// A loop is stalled: nothing has happened for a while, its coroutines wait in the JDK for locks
/// and queues, and nothing is armed that could wake one. Only another thread could.
///
/// A stall may pass, since such a thread may act. So it is reported once in the life of a loop, and
/// no coroutine is cancelled. Waits that end by themselves (a sleep, a bounded wait) or from
/// outside (a socket) are no stall. Nor is a wait for a queue, a condition or a future while a
/// platform thread outside the loop runs, or will run by itself: that thread may feed it.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=reports}
///
/// @param dump every coroutine, with its stack and what the JDK reports about its blocker
/// @param after how long nothing had happened
/// @param unavailable what the JDK does not report about these waits, as text
/// @since 0.1
public record StallReport(Dump dump, Duration after, List<String> unavailable)
    implements LoopReport {
  @Override
  public String loop() {
    return dump.loop();
  }

  /// The cycles of coroutines that wait for one another, as far as the JDK reports holders; each
  /// beginning with its lowest number.
  public List<List<CoroutineSnapshot>> cycles() {
    return new WaitGraph(dump).cycles();
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append("Stall: nothing has happened in loop '")
        .append(loop())
        .append("' for ")
        .append(InWords.duration(after))
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
