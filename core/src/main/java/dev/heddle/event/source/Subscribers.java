// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/// The callbacks of an event that has had more than one, in the order of their subscription.
final class Subscribers {
  /*
   * A list of places. A subscription appends; a removal leaves a tombstone (null), so that no place
   * changes while a notification walks the list. Compaction closes the gaps when no notification
   * runs and half of the places are tombstones; it keeps the order.
   *
   * Finding a callback that leaves. Each of the runtime's own (InlineCallback) remembers its place
   * and is told when compaction has moved it, so nothing is searched. A user's callback is any
   * object and cannot be told: when it is not at the place at which it was put, it is found by an
   * index from callbacks to places. The index is built by the first such removal, kept up by later
   * subscriptions and dropped by the next compaction. One callback may be subscribed several times:
   * its seats are chained, the latest first. A seat whose callback has left is dropped when the
   * chain is next walked.
   *
   * Threads. The loop's.
   *
   * I1. Outside compact(), the nulls in places[0, size) are as many as `tombstones`; behind `size`
   *     there are only nulls. [EventModelTest]
   * I2. Callbacks stand in the order of their subscription. [EventModelTest]
   * I3. A callback of the runtime's stands at the place that it was last told, or below it. Below
   *     only where the stack ended inside moved(): it is then found by a scan down from there.
   *     [EventCostTest]
   *
   * Cost. n callbacks that leave, in any order, take O(n) steps in total. A removal is one step.
   * Compaction visits at most two places for each removal since the one before it, and so does
   * building the index. A scan remains for a callback of the runtime's that leaves without saying
   * where it is; those of today are alone at their events.
   *
   * Rejected. Linked nodes: 24 bytes for each waiting coroutine, where a place takes 4 to 8. A hash
   * table for all callbacks: 40 bytes each. Tickets that only grow, found by binary search: 4 bytes
   * more for each, and a logarithm. An index for the runtime's callbacks, too: it would stay as
   * long as an event has a crowd that comes and goes.
   *
   * Sources. trap-8.
   */
  private static final @Nullable EventCallback[] NONE = {};
  private static final int MIN_CAPACITY = 4; // places
  private static final int MAX_SCANNED = 8; // a scan of so many costs less than an index
  private static final int MAX_RETAINED = 64; // places that stay when the last callback has left

  private final Event event;

  // loop only
  private @Nullable EventCallback[] slots;
  private int size; // places in use, tombstones included
  private int tombstones;
  private int custom; // callbacks of users
  private @Nullable IdentityHashMap<EventCallback, IndexEntry> index; // of users' callbacks
  private long visited;

  /// The list of an event whose only callback so far becomes the first one.
  ///
  /// @param only null: it left in the notification that is running
  Subscribers(Event event, @Nullable EventCallback only) {
    this.event = event;
    this.slots = new EventCallback[MIN_CAPACITY];
    slots[0] = only;
    size = 1;
    if (only == null) {
      tombstones = 1;
    } else if (!(only instanceof InlineCallback)) {
      custom = 1;
    }
  }

  /// Places in use, those of tombstones included.
  int size() {
    return size;
  }

  /// The callback at a place below [#size()]; null: a tombstone.
  @Nullable EventCallback at(int place) {
    return slots[place];
  }

  /// Callbacks in force.
  int live() {
    return size - tombstones;
  }

  /// Whether one of them is a user's.
  boolean hasCustom() {
    return custom > 0;
  }

  /// Places looked at to remove callbacks, so far: what removals have cost.
  long visited() {
    return visited;
  }

  /// Appends a callback.
  ///
  /// @return its place
  int add(EventCallback callback) {
    if (size == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(MIN_CAPACITY, size * 2));
    }
    slots[size] = callback;
    if (!(callback instanceof InlineCallback)) {
      custom++;
      if (index != null) {
        index(index, callback, size);
      }
    }
    return size++;
  }

  /// Removes a callback; one that is not there is ignored.
  ///
  /// @param place where it is, or was put
  void remove(EventCallback callback, int place) {
    visited++;
    int at =
        place < size && slots[place] == callback
            ? place
            : find(callback, Math.min(place, size - 1));
    if (at >= 0) {
      slots[at] = null;
      if (!(callback instanceof InlineCallback)) {
        custom--;
      }
      tombstones++;
    }
  }

  private int find(EventCallback callback, int highest) {
    return callback instanceof InlineCallback || size <= MAX_SCANNED
        ? scan(callback, highest)
        : lookUp(callback, highest);
  }

  private int scan(EventCallback callback, int highest) {
    int at = highest;
    while (at >= 0 && slots[at] != callback) {
      visited++;
      at--;
    }
    return at;
  }

  // ---- users' callbacks ----

  /// One subscription of a user's callback.
  private static final class IndexEntry {
    final int place;
    @Nullable IndexEntry below; // an earlier subscription of the same callback

    IndexEntry(int place, @Nullable IndexEntry below) {
      this.place = place;
      this.below = below;
    }
  }

  private int lookUp(EventCallback callback, int highest) {
    IdentityHashMap<EventCallback, IndexEntry> seats = index;
    if (seats == null) {
      seats = new IdentityHashMap<>();
      for (int i = 0; i < size; i++) {
        visited++;
        EventCallback other = slots[i];
        if (other != null && !(other instanceof InlineCallback)) {
          index(seats, other, i);
        }
      }
      index = seats;
    }
    IndexEntry above = null;
    for (IndexEntry indexEntry = seats.get(callback);
        indexEntry != null;
        indexEntry = indexEntry.below) {
      visited++;
      if (slots[indexEntry.place] != callback) {
        unlink(seats, callback, above, indexEntry);
      } else if (indexEntry.place <= highest) {
        unlink(seats, callback, above, indexEntry);
        return indexEntry.place;
      } else {
        above = indexEntry;
      }
    }
    return -1;
  }

  private static void index(
      IdentityHashMap<EventCallback, IndexEntry> seats, EventCallback callback, int place) {
    seats.put(callback, new IndexEntry(place, seats.get(callback)));
  }

  private static void unlink(
      IdentityHashMap<EventCallback, IndexEntry> seats,
      EventCallback callback,
      @Nullable IndexEntry above,
      IndexEntry gone) {
    if (above != null) {
      above.below = gone.below;
    } else if (gone.below != null) {
      seats.put(callback, gone.below);
    } else {
      seats.remove(callback);
    }
  }

  // ---- compaction ----

  /// Closes the gaps if half of the places are tombstones. Only while no notification runs.
  void compact() {
    if (tombstones == 0 || tombstones * 2 < size) {
      return;
    }
    index = null;
    if (tombstones < size) {
      visited += size;
      closeGaps();
    } else {
      clear();
    }
  }

  // in an order in which I1 holds wherever the stack ends: no call between the two writes
  private void closeGaps() {
    int live = 0;
    for (int i = 0; i < size; i++) {
      EventCallback callback = slots[i];
      if (callback == null) {
        continue;
      }
      int to = live++;
      if (to != i) {
        slots[to] = callback;
        slots[i] = null;
        if (callback instanceof InlineCallback inline) {
          inline.moved(event, to);
        }
      }
    }
    size = live;
    tombstones = 0;
  }

  private void clear() {
    size = 0;
    tombstones = 0;
    if (slots.length > MAX_RETAINED) {
      slots = NONE;
    }
  }
}
