// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.util.ArrayList;
import java.util.List;

/// A tree of which the scheduler under test needs little: it collects failures, and notifications
/// to run later.
final class QuietOwner implements SchedulerOwner {
  final List<Throwable> failures = new ArrayList<>();
  final List<Runnable> notifications = new ArrayList<>();

  @Override
  public boolean maySleep() {
    return true;
  }

  @Override
  public void onDeadlock() {
    throw new AssertionError("nothing can go on");
  }

  @Override
  public void onOnlyForeignWaits() {}

  @Override
  public void onWake() {}

  @Override
  public void carrierInterrupted() {
    throw new AssertionError("interrupted");
  }

  @Override
  public void parked(Occupant coroutine) {}

  @Override
  public void failed(Throwable failure) {
    failures.add(failure);
  }

  @Override
  public void carrierTaskFailed(Throwable failure) {
    failures.add(failure);
  }

  @Override
  public void notifyLater(Runnable notification) {
    notifications.add(notification);
  }

  @Override
  public UnobservedOutcomes futures() {
    throw new AssertionError("no futures in these tests");
  }
}
