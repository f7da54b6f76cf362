// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.ReactorDriver;
import org.jspecify.annotations.Nullable;

/// The replaceable parts of a scheduler: with others than the usual ones, a test controls the time
/// and repeats a random order.
///
/// Chosen before the loop starts, so that a running loop does not pay for a choice that no program
/// makes: the usual order compiles to the plain ring.
///
/// @param driver the outside world; created on the carrier
/// @param clock the time source, which the driver uses, too
/// @param picker chooses the next coroutine
/// @param tickListener called at each tick; null: none
public record SchedulerParts(
    ReactorDriver driver, Clock clock, ReadyPicker picker, @Nullable TickListener tickListener) {

  /// The parts of ordinary programs: real time, first in, first out.
  public static SchedulerParts usual(ReactorDriver driver) {
    return new SchedulerParts(driver, Clock.SYSTEM, ReadyPicker.FIFO, null);
  }
}
