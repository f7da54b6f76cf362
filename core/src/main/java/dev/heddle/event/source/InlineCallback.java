// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.NotifyHook;

/// A callback that runs where its event fires, possibly on the stack of another coroutine.
///
/// Only for the runtime's own callbacks: it must take no lock, run no user code, not block and not
/// throw. If a coroutine parked inside it, the carrier could never proceed past what that coroutine
/// holds.
public interface InlineCallback extends EventCallback {
  /// Whether it accepts an outcome now: false for a waiter that is already woken.
  default boolean accepts() {
    return true;
  }

  /// Whether it accepts a failure now: also a waiter that is already woken, if by a result or by a
  /// failure that this one supersedes.
  default boolean acceptsFailure() {
    return accepts();
  }

  /// Called when its index at `event` has changed: [EventSource#unsubscribe(EventCallback, int)]
  /// needs the new one.
  ///
  /// A callback that may leave an event with many subscribers must keep its index up to date, else
  /// its removal needs a scan. It must not subscribe, unsubscribe or fire here.
  default void moved(Event event, int place) {}

  /// Whether `callback`, of either kind, accepts an outcome now.
  static boolean accepts(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.accepts()
        : !(callback instanceof NotifyHook);
  }

  /// Whether `callback`, of either kind, accepts a failure now.
  static boolean acceptsFailure(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.acceptsFailure()
        : !(callback instanceof NotifyHook);
  }
}
