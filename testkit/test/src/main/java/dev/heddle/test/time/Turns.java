// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

import java.util.function.BooleanSupplier;

/// Where the drivers of a simulated world sleep. A driver that sleeps lets the world go on: what is
/// scheduled happens, and other loops run.
public interface Turns extends Timeline {
  /// A deadline that has passed: only what is due now happens.
  long NO_WAIT = Long.MIN_VALUE;

  /// No deadline.
  long NO_DEADLINE = Long.MAX_VALUE;

  /// The part of one loop.
  interface Turn {
    /// Sets the loop's driver. **Thread** that which lets the loop join.
    ///
    /// @param driver which sleeps, for those who look at its thread
    /// @param hasWork whether it has something to deliver; called on any of the carriers, one at a
    ///   time
    void serve(Object driver, BooleanSupplier hasWork);

    /// Sleeps until there is something to deliver, the deadline has come, or a wake-up. **Thread**
    /// the loop's carrier.
    ///
    /// @param deadlineNanos a time of the clock, [#NO_WAIT] or [#NO_DEADLINE]
    void sleep(long deadlineNanos);

    /// Ends the current or the next sleep. **Thread** any; never blocks.
    void wakeup();

    /// Whether what the loop does not know of may end a wait in it, so that the loop must not
    /// report a deadlock. **Thread** the loop's carrier.
    default boolean expectsMore() {
      return false;
    }
  }
}
