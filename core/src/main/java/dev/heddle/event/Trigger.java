// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// Wakes coroutines of one loop from any thread.
///
/// Created by [dev.heddle.Heddle#trigger]. Firing it wakes all coroutines that wait then; if none
/// waits, it is kept for the next wait. Several firings before the loop polls count as one.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=trigger}
///
/// @since 0.1
public interface Trigger extends Awaitable<Object> {
  /// Fires the trigger. **Thread** any; never blocks.
  ///
  /// @return false when the loop has ended
  boolean fire();
}
