// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.internal.InWords;
import java.util.List;

/// The report of a deadlock: which coroutine waited for what, its holder, and the cycles.
///
/// Carried by [dev.heddle.DeadlockError], which ends [dev.heddle.Heddle#run].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadlock}
///
/// With more than 1,000 coroutines the report still contains each one with number, name, state and
/// waits, and [#cycles()] covers all. Stacks are taken of the first 1,000 by number, and the text
/// lists only these, since taking a stack costs time in which no coroutine can clean up.
///
/// @param dump the remaining coroutines; the first 1,000 with their stacks
/// @since 0.1
public record DeadlockReport(Dump dump) implements LoopReport {
  @Override
  public String loop() {
    return dump.loop();
  }

  /// The cycles of coroutines that wait for one another, each beginning with its lowest number;
  /// none if they wait for something that no coroutine of the loop holds.
  public List<List<CoroutineSnapshot>> cycles() {
    return new WaitGraph(dump).cycles();
  }

  /// A line that states the deadlock, then the cycles, then every coroutine with what it waits for,
  /// where it was spawned, and its stack. Of more than 1,000 coroutines, or in cycles, the first
  /// 1,000; the rest is counted. Then the other parts of the dump: pools, and channels that were
  /// closed because they were stuck.
  @Override
  public String text() {
    int waiting = dump.coroutines().size();
    int more = waiting - DumpText.MAX_LISTED;
    String tree = new DumpText(dump, DumpText.MAX_LISTED).tree();
    StringBuilder text =
        new StringBuilder(
            "Deadlock: no active coroutines, %s in waiting\n%s\n%s%s"
                .formatted(
                    InWords.count(waiting, "coroutine"),
                    new WaitGraph(dump).inWords(),
                    tree,
                    more > 0
                        ? "and " + InWords.number(more) + " more, without their stacks\n"
                        : ""));
    dump.parts().forEach(part -> text.append('\n').append(part.text()));
    return text.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}
