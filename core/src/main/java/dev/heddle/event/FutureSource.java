// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;

/// The source of a future's outcome: the next firing of an event, unless a reader cancels first.
abstract class FutureSource implements InlineCallback {
  final EventSource event;
  private int place = -1; // among the event's subscribers; -1: not subscribed

  FutureSource(EventSource event) {
    this.event = event;
  }

  /// Subscribes; an event that is closed is replayed at once.
  final void subscribe() {
    if (event.isClosed()) {
      event.replay(this);
    } else {
      place = event.add(this);
      arm();
    }
  }

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

  abstract void arm();

  abstract void disarm();

  void withdraw(Cancellation c) {
    unsubscribe();
  }

  /// Whether a wait for the future does not keep the loop alive: the event is a daemon, or counts
  /// by itself.
  abstract boolean isDaemon();

  /// Whether the work is done only for coroutines that await the future.
  boolean isForAwaiters() {
    return false;
  }
}
