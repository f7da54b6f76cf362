// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import java.time.Duration;

/// The time limit of an owner's waits, one at a time: wakes the owner when the limit of the present
/// wait is over.
///
/// **Thread** the owner; it is woken from the timer thread.
public final class WaitTimeout extends Timer {
  /*
   * The timer is a hint and the clock decides: a wake-up only makes the owner check isOver(). So a
   * late wake-up of a wait that has ended cannot end the next one. A wait that ends in time clears
   * its deadline with a store and leaves the node in the wheel: the next wait mostly ends later,
   * and finds the node there in time.
   */
  private final Timers timers;
  private final Runnable wake;

  private long until; // of the present wait, by the timers' clock

  /// A timeout without a wait.
  ///
  /// @param wake is called when the limit of a wait is over; an extra call must do no harm
  public WaitTimeout(Timers timers, Runnable wake) {
    this.timers = timers;
    this.wake = wake;
  }

  /// Begins a wait.
  ///
  /// @param limit from now on; a negative one counts as zero
  /// @throws IllegalStateException when the timers are closed
  public void start(Duration limit) {
    until = timers.deadline(limit);
    if (limit.isPositive()) {
      timers.arm(this, until);
    }
  }

  public boolean isOver() {
    return timers.now() >= until;
  }

  /// Whether the owner will be woken. If not, the time is over, or will be in a moment.
  public boolean willWake() {
    return isArmed();
  }

  public void stop() {
    deadlineRelease(DISARMED);
  }

  /// Removes the timer; no wait may begin any more.
  public void close() {
    timers.release(this);
  }

  @Override
  protected void fire() {
    wake.run();
  }
}
