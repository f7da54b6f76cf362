// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// What a [SwitchHandler] is called for.
///
/// @since 0.1
public enum Switch {
  /// The coroutine has just got control: its body begins, or it goes on after a suspension.
  ENTER,

  /// The coroutine is about to suspend.
  LEAVE,

  /// The coroutine is about to end: the last thing that runs on its stack.
  FINISH
}
