// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.driver.ReactorDriver;

/// The loop's eyes: one look without waiting between coroutines, one sleep when nothing is ready.
///
/// **Thread** [#execute] on the trampoline only (a driver takes locks; a coroutine parked inside
/// one would keep it), the rest on the loop.
public final class Reactor {
  private final ReactorDriver driver;
  private final TimerQueue timers;

  private long looks;
  private long sleeps;

  /// A reactor over a driver and the loop's timers.
  public Reactor(ReactorDriver driver, TimerQueue timers) {
    this.driver = driver;
    this.timers = timers;
  }

  /// One turn of the driver.
  ///
  /// @param noWait true: only what has completed; false: sleep until something completes, the first
  ///   timer is due, or a wake-up
  /// @return how many operations were answered
  public int execute(boolean noWait) {
    if (noWait) {
      looks++;
      return driver.tick(ReactorDriver.NO_WAIT);
    }
    sleeps++;
    return driver.tick(timers.nextDeadline());
  }

  /// The driver in force.
  public ReactorDriver driver() {
    return driver;
  }

  /// The loop's timers.
  public TimerQueue timers() {
    return timers;
  }

  /// Calls that did not wait, so far.
  public long looks() {
    return looks;
  }

  /// Calls that may have waited, so far.
  public long sleeps() {
    return sleeps;
  }
}
