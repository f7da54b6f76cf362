// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.event.source.CompositeEvent;
import dev.heddle.event.source.EventSource;

/// Something that happens, once or again and again, and that coroutines and callbacks can subscribe
/// to. Heddle makes them: timers, the ends of coroutines and futures, triggers, signals.
///
/// **Thread** the loop's: its carrier and its coroutines. **Order** callbacks run in the order of
/// their subscription; one that is added during a notification runs in it, one that is removed does
/// not.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=event}
///
/// @since 0.1
public sealed interface Event extends Awaitable<Object> permits EventSource {
  /// An event that fires each time one of several fires, with what that one fires with; it is
  /// closed when one of them is.
  ///
  /// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=composite}
  ///
  /// @throws IllegalArgumentException without parts
  static Event anyOf(Awaitable<?>... several) {
    return CompositeEvent.anyOf(several);
  }

  /// An event that fires when each of several has fired, and is closed then. It fires with the
  /// first failure among them, if one failed; that failure's report has the others. Where the wait
  /// ends before, the report of what ended it has those that came. An event that fires again and
  /// again counts if it fires while a coroutine waits.
  ///
  /// @throws IllegalArgumentException without parts
  static Event allOf(Awaitable<?>... several) {
    return CompositeEvent.allOf(several);
  }

  @Override
  default Event event() {
    return this;
  }

  /// One line for dumps: what it is and what it waits for.
  String info();

  /// Whether it has fired for the last time; a wait that begins later gets that outcome at once.
  boolean isClosed();

  /// Adds a callback behind those that are there. It keeps neither the loop alive nor a timer
  /// running: a wait for the event does.
  void subscribe(EventCallback callback);

  /// Removes a callback, also in the middle of a notification; one that is not there is ignored. Of
  /// several subscriptions of one callback it ends the latest.
  void unsubscribe(EventCallback callback);
}
