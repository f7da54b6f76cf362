// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;

/// What a future gets its outcome from: the next firing of an event, unless a reader cancels first.
abstract class Source implements InlineCallback {
  final Event event;
  private boolean subscribed;

  Source(Event event) {
    this.event = event;
  }

  /// Begins to listen; what has fired for the last time comes at once.
  final void listen() {
    if (event.isClosed()) {
      event.replay(this);
    } else {
      event.subscribe(this);
      subscribed = true;
      enter();
    }
  }

  /// Listens no more.
  final void leave() {
    if (subscribed) {
      subscribed = false;
      event.unsubscribe(this);
      exit();
    }
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
