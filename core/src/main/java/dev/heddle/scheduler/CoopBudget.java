// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// The cooperative budget of a loop: a coroutine whose calls never have to wait yields now and
/// then. Without it, a peer that sends as fast as the coroutine reads would keep the loop to
/// itself.
///
/// One for each loop. It counts calls on all handles since another coroutine could last run.
public final class CoopBudget {
  private static final int BUDGET = 64; // calls; about 100 us of small reads

  private final Scheduler scheduler;

  // loop only
  private int calls; // since another coroutine could run
  private long dispatched; // the scheduler's count at the last call

  CoopBudget(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /// Counts a call that may complete at once. **Suspends** at every 64th without a wait in between.
  public void consume(Waker self) {
    long now = scheduler.dispatches();
    if (now != dispatched) {
      dispatched = now;
      calls = 0;
    }
    if (++calls == BUDGET) {
      calls = 0;
      scheduler.yieldFrom(self);
    }
  }
}
