// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import java.util.Arrays;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/// The callbacks of an event that has had several, in the order of their subscription.
final class Subscribers {
  /*
   * An array of slots. A subscription appends; a removal leaves a tombstone (null), so no index
   * changes while a notification iterates. Compaction closes the gaps when no notification runs and
   * half of the slots are tombstones; it keeps the order.
   *
   * Finding a callback to remove. Each of the runtime's own callbacks (InlineCallback) remembers
   * its index and is notified when compaction moves it, so no search is needed. A user's callback
   * cannot be notified. If it is not at the index where it was added, an index map from callbacks
   * to slots finds it. The first such removal builds the map, later subscriptions update it, and
   * the next compaction drops it. One callback may be subscribed several times: its entries are
   * chained, the latest first. An entry whose callback has left is dropped when the chain is next
   * traversed.
   *
   * Threads. The loop's.
   *
   * I1. Outside compact(), slots[0, size) contain exactly `tombstones` nulls; from `size` on there
   *     are only nulls. [EventModelTest]
   * I2. Callbacks are in the order of their subscription. [EventModelTest]
   * I3. A callback of the runtime is at the index of which it was last notified, or below it. It is
   *     below only if a stack overflow happened inside moved(); then a scan downwards finds it.
   *     [EventCostTest]
   *
   * Cost. The removal of n callbacks, in any order, takes O(n) steps in total; one removal is one
   * step. Compaction visits at most two slots for each removal since the previous one, and so does
   * building the map. Only a callback of the runtime that leaves without its index needs a scan;
   * the existing ones of that kind are alone at their events.
   *
   * Rejected. Linked nodes: 24 bytes for each waiting coroutine; a slot takes 4 to 8. A hash table
   * for all callbacks: 40 bytes each. Growing tickets found by binary search: 4 more bytes each,
   * and logarithmic time. A map for the runtime's callbacks, too: it would remain as long as an
   * event has many changing subscribers.
   *
   * Sources. trap-8.
   */
  private static final @Nullable EventCallback[] NONE = {};
  private static final int MIN_CAPACITY = 4; // places
  private static final int MAX_SCANNED = 8; // a scan of this length costs less than a map
  private static final int MAX_RETAINED = 64; // slots kept when the last callback has left

  private final Event event;

  // loop only
  private @Nullable EventCallback[] slots;
  private int size; // places in use, tombstones included
  private int tombstones;
  private int custom; // callbacks of users
  private @Nullable IdentityHashMap<EventCallback, IndexEntry> index; // of users' callbacks
  private long visited;

  /// Creates the list of an event; its only callback so far becomes the first one.
  ///
  /// @param only null: it left during the running notification
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

  /// The number of slots in use, tombstones included.
  int size() {
    return size;
  }

  /// The callback at an index below [#size()]; null: a tombstone.
  @Nullable EventCallback at(int place) {
    return slots[place];
  }

  int live() {
    return size - tombstones;
  }

  boolean hasCustom() {
    return custom > 0;
  }

  long visited() {
    return visited;
  }

  /// Appends a callback; returns its index.
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

  /// Removes a callback, if it is there; `place` is its index, or was when it was added.
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

  // in an order in which I1 holds wherever a stack overflow happens: no call between the two writes
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
