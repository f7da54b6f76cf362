// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// Something open that a driver can watch. It arms and disarms itself; its driver keeps the counts.
///
/// **Thread** the carrier, or a coroutine mounted on it. Everything here and in the subtypes
/// returns at once, and takes no lock that a tick takes, too.
public interface Descriptor {
  /// Notifies `listener` once, when the descriptor is ready: in a later tick, or at once. A
  /// listener that is armed already stays so.
  ///
  /// @throws IllegalStateException when another listener is armed for this direction
  void arm(Direction direction, ReadinessListener listener);

  /// Takes `listener` back: it is not notified. Nothing happens when it is not armed.
  void disarm(Direction direction, ReadinessListener listener);

  /// Gives it back to the system, at the latest when what the driver has under way for it has
  /// ended. Its listeners have been disarmed before; nothing is asked of it afterwards.
  void close();
}
