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
/// @param births who runs the virtual threads that are created inside coroutines
/// @param isObserved whether other threads may look at the loop: the watchdog, which reports holds
///   and stalls; `heddle ps`, `dump`, `top`, `trace` and `console`; management beans; a flight
///   recording of switches. A coroutine whose stack another thread reads resumes later than the
///   picker wants, so a loop whose order must repeat is not observed
public record SchedulerParts(
    ReactorDriver driver,
    Clock clock,
    ReadyPicker picker,
    @Nullable TickListener tickListener,
    Births births,
    boolean isObserved) {
  /// The scheduler of the virtual threads that are created inside a coroutine, which inherit its
  /// scheduler and are no coroutines.
  public enum Births {
    /// The JDK's own scheduler, on its own threads.
    ON_JDK,
    /// The loop, as entries of its ready queue: its picker orders them, too. They neither keep the
    /// loop alive nor count as waits; those that are left at its end go to the JDK's scheduler.
    ON_LOOP
  }

  /// Of an observed loop, with threads that the JDK's scheduler runs.
  public SchedulerParts(
      ReactorDriver driver, Clock clock, ReadyPicker picker, @Nullable TickListener tickListener) {
    this(driver, clock, picker, tickListener, Births.ON_JDK, true);
  }

  /// The parts of ordinary programs: real time, first in, first out.
  public static SchedulerParts usual(ReactorDriver driver) {
    return new SchedulerParts(driver, Clock.SYSTEM, ReadyPicker.FIFO, null);
  }
}
