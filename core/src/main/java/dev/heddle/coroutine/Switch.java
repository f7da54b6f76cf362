// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// The reason for a call of a [SwitchHandler].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=switchHandler}
///
/// @since 0.1
public enum Switch {
  /// The coroutine was mounted: its body begins, or it resumes after a suspension.
  ENTER,

  /// The coroutine is about to suspend.
  LEAVE,

  /// The coroutine is about to end: the last thing that runs on its stack.
  FINISH
}
