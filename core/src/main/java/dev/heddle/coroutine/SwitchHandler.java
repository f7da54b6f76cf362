// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Called when one coroutine enters or leaves its loop's thread.
///
/// Runs on that coroutine's own stack and must not suspend: a wait in it is refused with an error.
///
/// @since 0.1
@FunctionalInterface
public interface SwitchHandler {
  /// The coroutine enters (start or resume), leaves (suspend) or finishes.
  ///
  /// @param enter true: it has just got control
  /// @param finishing true: it leaves for the last time
  /// @return whether to be called again
  boolean onSwitch(Coroutine<?> coroutine, boolean enter, boolean finishing);
}
