// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Names coroutines that go on after they were cancelled and the grace period is over, once for
/// each place that spawns them and each reason.
///
/// Such a coroutine swallows its cancellation, or its clean-up takes long. From now on each of its
/// waits throws, which looks like a fault of the code that waits: so the operator is told why.
final class Overruns {
  private static final int MOST = 256; // told by one loop; reasons may be as many as coroutines

  private final LoopRoot loop;
  private final Set<String> told = new HashSet<>();

  Overruns(LoopRoot loop) {
    this.loop = loop;
  }

  /// A coroutine's grace period is over.
  void noticed(CancellableNode node, Cancellation unheeded) {
    if (told.size() < MOST
        && node instanceof CoroutineNode<?> late
        && !loop.isPastDeadline()
        && !late.isShielded() // what it waits for there is not cut
        && !late.rare().overdue
        && told.add(late.spawnSite() + ": " + unheeded.getMessage())) {
      loop.scheduler().onTrampoline(() -> tell(late, unheeded)); // stacks are read there
    }
  }

  private void tell(CoroutineNode<?> late, Cancellation unheeded) {
    if (late.isDone() || late.rare().overdue) {
      return;
    }
    late.rare().overdue = true;
    loop.warn(
        late.describe()
            + " was cancelled ("
            + unheeded.getMessage()
            + ") and has gone on for longer than the grace period of "
            + loop.options().gracePeriod()
            + "; each of its waits throws from now on. Let the cancellation end it: rethrow it where"
            + " exceptions are caught, or call Heddle.checkCancelled() there\n"
            + DumpTaker.takeOnly(loop, List.of(late)).text());
  }
}
