// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Event;
import dev.heddle.event.EventHome;
import java.util.ArrayDeque;

/// One after the other, in the order of arrival: serialises the reads, or the writes, of a handle.
///
/// A turn is handed to the oldest who waits while it is released, so nobody can slip in between;
/// one who leaves with a turn that was handed to it (a cancellation came first) hands it on.
/// Nothing is allocated while nobody else waits.
final class Turn {
  private final EventHome home;
  private final ArrayDeque<Place> queue = new ArrayDeque<>(2);
  private boolean taken;

  Turn(EventHome home) {
    this.home = home;
  }

  void take(CoroutineNode<?> self) {
    if (!taken) {
      taken = true;
      return;
    }
    Place place = new Place();
    queue.add(place);
    boolean mine = false;
    try {
      self.awaitEvent(place);
      mine = true;
    } finally {
      if (!mine && !queue.remove(place)) {
        release();
      }
    }
  }

  void release() {
    Place oldest = queue.poll();
    if (oldest == null) {
      taken = false;
    } else {
      oldest.call();
    }
  }

  private final class Place extends Event {
    private boolean called;

    Place() {
      super(home);
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
    public String info() {
      return "its turn on a handle";
    }
  }
}
