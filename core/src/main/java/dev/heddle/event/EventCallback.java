// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import org.jspecify.annotations.Nullable;

/// Called each time an event fires.
///
/// If an event has a user's callback, its notification runs as a short coroutine of the loop. So
/// the callback may take locks and even wait; later callbacks then wait with it.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=callback}
///
/// @since 0.1
@FunctionalInterface
public interface EventCallback {
  /// Called when the event has fired.
  ///
  /// @param result the value that it fired with, or null
  /// @param error the failure that it fired with, or null
  void onEvent(Event event, @Nullable Object result, @Nullable Throwable error);
}
