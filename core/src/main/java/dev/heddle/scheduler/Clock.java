// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// The time as one loop knows it: its timers, deadlines, grace periods and delays.
///
/// A loop's driver must go by the same clock, for it sleeps until deadlines of this scale: those of
/// the operating system need [#SYSTEM]; a clock that a test moves needs a driver that moves it.
/// **Thread** any.
@FunctionalInterface
public interface Clock {
  /// The JVM's own.
  Clock SYSTEM = System::nanoTime;

  /// Nanoseconds since an origin of the clock's choice. Never goes back.
  long nanoTime();
}
