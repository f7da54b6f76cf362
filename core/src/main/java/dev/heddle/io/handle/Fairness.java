// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;

/// Lets the others run now and then when a handle never has to wait: a peer that sends as fast as
/// we read must not hold the loop.
final class Fairness {
  private static final int IN_A_ROW = 64; // calls; some 100 us of small reads

  private int calls; // since others could run
  private long dispatched; // as the scheduler counted at the last call

  /// Counts one call on the handle. **Suspends** at every 64th without a wait in between.
  void pass(CoroutineNode<?> self) {
    long now = self.scheduler().dispatches();
    if (now != dispatched) {
      dispatched = now;
      calls = 0;
    }
    if (++calls == IN_A_ROW) {
      calls = 0;
      self.scheduler().yieldFrom(self);
    }
  }
}
