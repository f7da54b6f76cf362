// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.NotifyHook;

/// A callback that runs where its event fires, possibly on another coroutine's stack.
///
/// For the runtime's own callbacks only: it must take no lock, run no user code, block on nothing
/// and throw nothing. A coroutine parked inside it would keep what it holds while the carrier needs
/// it, and the loop would be dead.
public interface InlineCallback extends EventCallback {
  /// Whether it makes use of an outcome that comes now: false for one that was woken already.
  default boolean accepts() {
    return true;
  }

  /// Whether it makes use of a failure that comes now: also one that was woken already, but by a
  /// result, or by a failure that gives way to this one.
  default boolean acceptsFailure() {
    return accepts();
  }

  /// Its place at `event` has changed: [EventSource#unsubscribe(EventCallback, int)] wants the new
  /// one.
  ///
  /// One that may leave an event which has many must keep its place up to date, or its leaving
  /// costs a scan. It must not subscribe, unsubscribe or fire here.
  default void moved(Event event, int place) {}

  /// Whether `callback`, of whichever kind, makes use of an outcome that comes now.
  static boolean accepts(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.accepts()
        : !(callback instanceof NotifyHook);
  }

  /// Whether `callback`, of whichever kind, makes use of a failure that comes now.
  static boolean acceptsFailure(EventCallback callback) {
    return callback instanceof InlineCallback inline
        ? inline.acceptsFailure()
        : !(callback instanceof NotifyHook);
  }
}
