// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import org.jspecify.annotations.Nullable;

/// Called back each time an event fires.
///
/// A notification that meets a callback written by a user runs as a short coroutine of the loop, so
/// the callback may take locks and even wait; the callbacks behind it wait with it.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=callback}
///
/// @since 0.1
@FunctionalInterface
public interface EventCallback {
  /// The event fired.
  ///
  /// @param result what it fired with, or null
  /// @param error why it failed, or null when it succeeded
  void onEvent(Event event, @Nullable Object result, @Nullable Throwable error);
}
