// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Whom the cancellation of a scope reaches.
///
/// @since 0.1
public enum CancelMode {
  /// Every member, started or not, and the body of a block.
  ALL,

  /// Members that have not started; those that have may finish.
  ///
  /// They no longer keep the loop alive: when only such members are left in it, they are cancelled
  /// and have their grace period. Whoever joins or closes the scope still waits for them.
  DRAIN
}
