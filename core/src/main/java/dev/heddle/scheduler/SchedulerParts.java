// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.reactor.driver.ReactorDriver;
import org.jspecify.annotations.Nullable;

/// What a scheduler is built on; a test can have time stand still and repeat chance.
///
/// Chosen before the loop starts, so that what nobody uses costs a running loop nothing: the usual
/// order compiles to the plain ring.
///
/// @param driver the outside world; made on the carrier
/// @param clock the time, by which the driver goes, too
/// @param picker who is next
/// @param heartbeat what is told of each tick, if anything
public record SchedulerParts(
    ReactorDriver driver, Clock clock, ReadyPicker picker, @Nullable Heartbeat heartbeat) {

  /// What programs run on: real time, first in, first out.
  public static SchedulerParts usual(ReactorDriver driver) {
    return new SchedulerParts(driver, Clock.SYSTEM, ReadyPicker.FIFO, null);
  }
}
