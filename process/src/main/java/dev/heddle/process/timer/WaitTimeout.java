// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import java.time.Duration;

/// The time limit of the waits of one owner, one wait after the other: wakes the owner when the
/// limit of the present wait is over.
///
/// **Thread** the owner's; it is woken from the thread of the timers.
public final class WaitTimeout extends Timer {
  /*
   * The timer is a hint, the clock decides: a wake-up only makes the owner look at [#isOver]. So a
   * wake-up that comes late, of a wait that has ended, cannot end the next one. And a wait that
   * ends in time forgets its deadline by a store, and leaves the node in the wheel: the next wait
   * most often ends later, and finds it there in time.
   */
  private final Timers timers;
  private final Runnable wake;

  private long until; // of the present wait, by the timers' clock

  /// No wait has begun.
  ///
  /// @param wake called when the limit of a wait is over; once more than needed at worst
  public WaitTimeout(Timers timers, Runnable wake) {
    this.timers = timers;
    this.wake = wake;
  }

  /// A wait begins.
  ///
  /// @param limit from now on; less than nothing counts as nothing
  /// @throws IllegalStateException when the timers are closed
  public void start(Duration limit) {
    until = timers.deadline(limit);
    if (limit.isPositive()) {
      timers.arm(this, until);
    }
  }

  /// Whether the time of the present wait is over.
  public boolean isOver() {
    return timers.now() >= until;
  }

  /// Whether the owner will be woken. If it will not, the time is over, or will be in a moment.
  public boolean willWake() {
    return isArmed();
  }

  /// The wait has ended.
  public void stop() {
    deadlineRelease(DISARMED);
  }

  /// No wait will begin any more.
  public void close() {
    timers.release(this);
  }

  @Override
  protected void fire() {
    wake.run();
  }
}
