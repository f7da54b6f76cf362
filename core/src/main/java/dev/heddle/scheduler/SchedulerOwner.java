// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.source.FutureLedger;

/// The tree of coroutines, seen from the scheduler. Called on the trampoline unless said otherwise.
public interface SchedulerOwner {
  /// Nothing is ready: whether the loop is to wait for more; false ends it.
  boolean mayWait();

  /// Nothing is ready, nothing armed, nobody in a foreign wait, and coroutines are left.
  void nothingCanGoOn();

  /// Nothing is ready and nothing armed that keeps the loop alive, but coroutines wait in the JDK:
  /// the loop is about to sleep.
  void onlyForeignWaits();

  /// The loop has slept.
  void awake();

  /// The carrier's thread was interrupted while the loop slept.
  void carrierInterrupted();

  /// The JDK has parked a coroutine.
  void parked(Waker waker);

  /// The runtime itself failed; may be called on a coroutine's stack.
  void failed(Throwable failure);

  /// A piece of the runtime's own work on the trampoline failed; the others go on.
  void errandFailed(Throwable failure);

  /// Runs `notification` as a short coroutine; may be called on a coroutine's stack.
  void notifyLater(Runnable notification);

  /// Where the loop's futures are accounted for; asked for from anywhere on the loop.
  FutureLedger futures();
}
