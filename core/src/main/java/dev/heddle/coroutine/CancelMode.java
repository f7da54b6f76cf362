// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Which members the cancellation of a scope reaches.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=child}
///
/// @since 0.1
public enum CancelMode {
  /// Every member, started or not, and the body of a block.
  ALL,

  /// Members that have not started; started ones may finish.
  ///
  /// Started members no longer keep the loop alive: if only such members are left in the loop, they
  /// are cancelled and have their grace period. A join or close of the scope still waits for them.
  DRAIN
}
