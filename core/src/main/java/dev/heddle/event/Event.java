// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.event.source.CompositeEvent;
import dev.heddle.event.source.EventSource;

/// Something that happens once or repeatedly, to which coroutines and callbacks can subscribe.
/// Heddle creates events: timers, the ends of coroutines and futures, triggers, signals.
///
/// **Thread** the loop's: its carrier and its coroutines. **Order** callbacks run in the order of
/// their subscription. A callback that is added during a notification runs in it; one that is
/// removed does not.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=event}
///
/// @since 0.1
public sealed interface Event extends Awaitable<Object> permits EventSource {
  /// An event that fires each time one of several fires, with the outcome of that one; it is closed
  /// when one of them is.
  ///
  /// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=composite}
  ///
  /// @throws IllegalArgumentException without parts
  static Event anyOf(Awaitable<?>... several) {
    return CompositeEvent.anyOf(several);
  }

  /// An event that fires when each of several has fired, and is then closed. It fires with the
  /// first failure among them, if one failed; the report of that failure includes the others. If
  /// the wait ends earlier, the report of what ended it includes the failures so far. A recurring
  /// event counts if it fires while a coroutine waits.
  ///
  /// @throws IllegalArgumentException without parts
  static Event allOf(Awaitable<?>... several) {
    return CompositeEvent.allOf(several);
  }

  @Override
  default Event event() {
    return this;
  }

  /// A line for dumps: what this event is and what it waits for.
  String info();

  /// Whether it has fired for the last time; a later wait gets that outcome at once.
  boolean isClosed();

  /// Adds a callback after the existing ones. A callback keeps neither the loop alive nor a timer
  /// running; only a wait for the event does.
  void subscribe(EventCallback callback);

  /// Removes a callback, also during a notification; one that is not subscribed is ignored. Of
  /// several subscriptions of one callback it removes the latest.
  void unsubscribe(EventCallback callback);
}
