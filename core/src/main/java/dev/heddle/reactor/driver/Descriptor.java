// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// An open descriptor whose readiness a driver reports. It arms and disarms itself; its driver
/// keeps the counts.
///
/// **Thread** the carrier, or a coroutine mounted on it. No method here or in the subtypes blocks
/// or takes a lock that a poll also takes.
public interface Descriptor {
  /// Notifies `listener` once when the descriptor is ready, in a later poll or at once. To arm a
  /// listener that is armed already changes nothing.
  ///
  /// @throws IllegalStateException when another listener is armed for this direction
  void arm(Direction direction, ReadinessListener listener);

  /// Disarms `listener`: it is not notified. Does nothing when it is not armed. The system is not
  /// told: the descriptor stays registered.
  void disarm(Direction direction, ReadinessListener listener);

  /// Closes the descriptor, at the latest when the driver's operations on it have ended. It
  /// notifies no listener: its owner first ends the waits (`PollEvent.abort`). The woken listeners
  /// disarm themselves later, when their coroutines run; nothing else may be called afterwards.
  void close();
}
