// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// Something open that a driver can watch: a driver makes its own, and gets them back.
///
/// **Thread** the carrier, or a coroutine mounted on it. Everything here and in the subtypes
/// returns at once.
public interface Descriptor {
  /// Gives it back to the system, at the latest when what the driver has under way for it has
  /// ended. Whatever was submitted for it has been cancelled before; nothing is asked of it
  /// afterwards.
  void close();
}
