// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;

/// What a future gets its outcome from: the next firing of an event, unless a reader cancels first.
abstract class Source implements InlineCallback {
  final EventSource event;
  private int place = -1; // among the event's subscribers; -1: not subscribed

  Source(EventSource event) {
    this.event = event;
  }

  /// Begins to listen; what has fired for the last time comes at once.
  final void listen() {
    if (event.isClosed()) {
      event.replay(this);
    } else {
      place = event.add(this);
      enter();
    }
  }

  /// Listens no more.
  final void leave() {
    int at = place;
    if (at >= 0) {
      place = -1;
      event.unsubscribe(this, at);
      exit();
    }
  }

  @Override
  public final void moved(Event from, int to) {
    place = to;
  }

  /// Arms the event.
  abstract void enter();

  /// Disarms it.
  abstract void exit();

  /// A reader has cancelled the future.
  void withdraw(Cancellation c) {
    leave();
  }

  /// Whether a wait for the future keeps nobody alive: the event is hidden, or counts by itself.
  abstract boolean isHidden();

  /// Whether it works for those who await the future only.
  boolean isForAwaiters() {
    return false;
  }
}
