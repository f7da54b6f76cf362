// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

/// Wakes coroutines of one loop from any thread.
///
/// Made by [dev.heddle.Heddle#trigger]. A pull wakes everyone who waits then; with nobody waiting
/// it is kept for the next wait. Pulls that come before the loop looks are one.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=trigger}
///
/// @since 0.1
public interface Trigger extends Awaitable<Object> {
  /// Wakes who waits. **Thread** any; never blocks.
  ///
  /// @return false when the loop has ended
  boolean fire();
}
