// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;

/// Why nothing in a loop could go on: who waited for what, who held that, and the cycles.
///
/// Carried by [dev.heddle.DeadlockError], which ends [dev.heddle.Heddle#run].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadlock}
///
/// Of more than 1,000 coroutines the report still knows every one: number, name, state and waits
/// are there, and [#cycles()] looks at all. Stacks were taken of the first 1,000, by number, and
/// the text lists these alone: a stack costs time in which nobody can clean up.
///
/// @param dump every coroutine that was left; the first 1,000 with their stacks
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
  /// what it waits for, where it was spawned, and its stack. Of more than 1,000 coroutines, or in
  /// cycles, the first 1,000; the rest is counted.
  @Override
  public String text() {
    int waiting = dump.coroutines().size();
    int more = waiting - DumpText.MAX_LISTED;
    return "Deadlock: no active coroutines, "
        + DumpText.count(waiting, "coroutine")
        + " in waiting\n"
        + new WaitGraph(dump).inWords()
        + "\n"
        + new DumpText(dump, DumpText.MAX_LISTED).tree()
        + (more > 0 ? "and " + DumpText.number(more) + " more, without their stacks\n" : "");
  }

  @Override
  public String toString() {
    return text();
  }
}
