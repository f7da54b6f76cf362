// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;

/// What a future gets its outcome from: the next firing of an event, unless a reader cancels first.
abstract class FutureSource implements InlineCallback {
  final EventSource event;
  private int place = -1; // among the event's subscribers; -1: not subscribed

  FutureSource(EventSource event) {
    this.event = event;
  }

  /// Begins to listen; what has fired for the last time comes at once.
  final void subscribe() {
    if (event.isClosed()) {
      event.replay(this);
    } else {
      place = event.add(this);
      arm();
    }
  }

  /// Listens no more.
  final void unsubscribe() {
    int at = place;
    if (at >= 0) {
      place = -1;
      event.unsubscribe(this, at);
      disarm();
    }
  }

  @Override
  public final void moved(Event from, int to) {
    place = to;
  }

  /// Arms the event.
  abstract void arm();

  /// Disarms it.
  abstract void disarm();

  /// A reader has cancelled the future.
  void withdraw(Cancellation c) {
    unsubscribe();
  }

  /// Whether a wait for the future keeps nobody alive: the event is hidden, or counts by itself.
  abstract boolean isDaemon();

  /// Whether it works for those who await the future only.
  boolean isForAwaiters() {
    return false;
  }
}
