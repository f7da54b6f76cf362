// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.time;

/// The time of a simulation, and what happens in it later.
///
/// **Thread** that of the loop whose turn it is; [#nanoTime()] any.
public interface Timeline {
  /// Nanoseconds since an origin of the clock's choice. Never goes backwards.
  long nanoTime();

  /// Runs `action` at a time: after what was scheduled earlier for the same time, and never inside
  /// this call.
  ///
  /// @param atNanos a time of this clock; one that has passed is now
  void schedule(long atNanos, Runnable action);
}
