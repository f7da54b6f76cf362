// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;

/// The coroutine tree, as the scheduler sees it. Called on the trampoline unless stated otherwise.
public interface SchedulerOwner {
  /// Nothing is ready: whether the loop waits for more; false ends the loop.
  boolean maySleep();

  /// Deadlock: nothing is ready, nothing is armed, no foreign wait is open, and coroutines are
  /// left.
  void onDeadlock();

  /// Nothing is ready and no event is armed that keeps the loop alive, but coroutines are in
  /// foreign waits. Called before the loop sleeps.
  void onOnlyForeignWaits();

  void onWake();

  /// The carrier was interrupted while the loop slept.
  void carrierInterrupted();

  void parked(Occupant coroutine);

  /// The runtime itself has failed. May be called on a coroutine's stack.
  void failed(Throwable failure);

  /// A carrier task has failed; the others continue.
  void carrierTaskFailed(Throwable failure);

  /// Runs `notification` as a short coroutine. May be called on a coroutine's stack.
  void notifyLater(Runnable notification);

  /// The table of the loop's futures. May be called anywhere on the loop.
  UnobservedOutcomes futures();
}
