// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.source.FutureLedger;
import java.util.ArrayList;
import java.util.List;

/// A tree of which the scheduler under test needs little: it collects failures, and notifications
/// to run later.
final class QuietOwner implements SchedulerOwner {
  final List<Throwable> failures = new ArrayList<>();
  final List<Runnable> notifications = new ArrayList<>();

  @Override
  public boolean mayWait() {
    return true;
  }

  @Override
  public void nothingCanGoOn() {
    throw new AssertionError("nothing can go on");
  }

  @Override
  public void onlyForeignWaits() {}

  @Override
  public void awake() {}

  @Override
  public void carrierInterrupted() {
    throw new AssertionError("interrupted");
  }

  @Override
  public void parked(Waker waker) {}

  @Override
  public void failed(Throwable failure) {
    failures.add(failure);
  }

  @Override
  public void errandFailed(Throwable failure) {
    failures.add(failure);
  }

  @Override
  public void notifyLater(Runnable notification) {
    notifications.add(notification);
  }

  @Override
  public FutureLedger futures() {
    throw new AssertionError("no futures in these tests");
  }
}
