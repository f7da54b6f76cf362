// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Lets the others run now and then when calls never have to wait: a peer that sends as fast as we
/// read must not hold the loop.
///
/// One for a loop: what counts are the calls since anybody else could run, on whichever handles.
public final class Fairness {
  private static final int IN_A_ROW = 64; // calls; some 100 us of small reads

  private final Scheduler scheduler;

  // loop only
  private int calls; // since others could run
  private long dispatched; // as the scheduler counted at the last call

  Fairness(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /// Counts a call that may not have to wait. **Suspends** at every 64th without a wait in between.
  public void pass(Waker self) {
    long now = scheduler.dispatches();
    if (now != dispatched) {
      dispatched = now;
      calls = 0;
    }
    if (++calls == IN_A_ROW) {
      calls = 0;
      scheduler.yieldFrom(self);
    }
  }
}
