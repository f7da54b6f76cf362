// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// The loop, seen from its events.
///
/// @since 0.1
public interface EventHome {
  /// An event that keeps the loop alive was armed.
  void eventArmed();

  /// An event that keeps the loop alive was disarmed.
  void eventDisarmed();

  /// Runs a notification that meets user code, later, as a short coroutine; in the order of the
  /// calls.
  void notifyLater(Runnable notification);

  /// Refuses a caller that is not on this loop.
  ///
  /// @throws IllegalStateException when the current thread is neither the carrier nor a coroutine
  ///   of this loop
  void checkOnLoop();
}
