// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;

/// Why nothing in a loop could go on: who waited for what, who held that, and the cycles.
///
/// Carried by [dev.heddle.DeadlockError], which ends [dev.heddle.Heddle#run].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadlock}
///
/// @param dump every coroutine that was left, with its stack
/// @since 0.1
public record DeadlockReport(Dump dump) implements LoopReport {
  @Override
  public String loop() {
    return dump.loop();
  }

  /// The cycles of coroutines that wait for one another, each beginning with its lowest number;
  /// none when the wait goes to something that nobody in the loop holds.
  public List<List<CoroutineSnapshot>> cycles() {
    return new WaitGraph(dump).cycles();
  }

  /// First the line that says what happened, then the cycles in words, then every coroutine with
  /// what it waits for, where it was spawned, and its stack.
  @Override
  public String text() {
    int waiting = dump.coroutines().size();
    return "Deadlock: no active coroutines, "
        + waiting
        + (waiting == 1 ? " coroutine in waiting\n" : " coroutines in waiting\n")
        + new WaitGraph(dump).inWords()
        + "\n"
        + new DumpText(dump).tree();
  }

  @Override
  public String toString() {
    return text();
  }
}
