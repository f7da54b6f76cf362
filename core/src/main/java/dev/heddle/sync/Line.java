// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import org.jspecify.annotations.Nullable;

/// Coroutines that wait for the same thing, in the order of arrival.
///
/// Linked, not an array: one that is cancelled leaves from the middle without moving the others.
final class Line {
  // loop only
  private @Nullable Place oldest;
  private @Nullable Place newest;
  private int length;

  int length() {
    return length;
  }

  void add(Place place) {
    Place before = newest;
    place.previous = before;
    if (before == null) {
      oldest = place;
    } else {
      before.next = place;
    }
    newest = place;
    place.inLine = true;
    length++;
  }

  /// Takes a place out, if it is in.
  void remove(Place place) {
    if (!place.inLine) {
      return;
    }
    Place before = place.previous;
    Place after = place.next;
    if (before == null) {
      oldest = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.previous = before;
    }
    place.previous = null;
    place.next = null;
    place.inLine = false;
    length--;
  }

  /// Takes out the oldest who still waits. Who has been woken by something else (a cancellation, a
  /// token, a deadline) is about to leave without: nothing is reserved for it.
  @Nullable Place poll() {
    for (Place place = oldest; place != null; place = oldest) {
      remove(place);
      if (place.isAwaited()) {
        return place;
      }
    }
    return null;
  }

  /// One coroutine's wait, as an event: fires once, when it is its turn.
  abstract static class Place extends Event {
    final CoroutineNode<?> waiting;

    private @Nullable Place previous;
    private @Nullable Place next;
    private boolean inLine;
    private boolean called;

    Place(CoroutineNode<?> waiting) {
      super(waiting.scheduler());
      this.waiting = waiting;
    }

    boolean isAwaited() {
      return hasTaker();
    }

    void call() {
      called = true;
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return called;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!called) {
        super.replay(callback);
      }
      callback.onEvent(this, null, null);
    }
  }
}
