// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// The time source of one loop, for its timers, deadlines, grace periods and delays.
///
/// The loop's driver must use the same clock, because it sleeps until deadlines of this scale. The
/// drivers of the operating system need [#SYSTEM]; a clock that a test advances needs a driver that
/// advances it. **Thread** any.
@FunctionalInterface
public interface Clock {
  /// The monotonic clock of the JVM.
  Clock SYSTEM = System::nanoTime;

  /// Nanoseconds since an origin of the clock's choice. Never goes backwards.
  long nanoTime();
}
