// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// An order of the ready entries that does not depend on a thread of the JVM.
///
/// The JVM hands over monitors on a thread of its own. Which entries are ready at a decision is
/// certain by then, but not in which order that thread has brought them. So of the entries that are
/// new at a decision those that may come from it are last, by their numbers. The older ones keep
/// their order.
///
/// **Thread** the loop's.
final class ArrivalOrder {
  private static final int PLACE_BITS = 24; // more are never ready at once

  private final Map<Long, Long> arrivals =
      new HashMap<>(); // by id; an entry leaves when it is chosen
  private long[] keys = new long[16]; // of the places in the lane: arrival, and place
  private long arrived;
  private int size;

  /// The candidates of a lane.
  interface Lane {
    int size();

    long laneId(int place);

    /// Whether a thread of the JVM may have brought it.
    boolean isForeign(int place);
  }

  /// Takes in the entries of a lane.
  void update(Lane lane) {
    size = lane.size();
    if (keys.length < size) {
      keys = new long[Integer.highestOneBit(size) * 2];
    }
    for (int place = 0; place < size; place++) {
      if (!lane.isForeign(place)) {
        arrivals.computeIfAbsent(lane.laneId(place), _ -> ++arrived);
      }
    }
    long[] foreign = newForeign(lane);
    for (long id : foreign) {
      arrivals.put(id, ++arrived);
    }
    for (int place = 0; place < size; place++) {
      keys[place] = arrivals.getOrDefault(lane.laneId(place), 0L) << PLACE_BITS | place;
    }
    Arrays.sort(keys, 0, size);
  }

  private long[] newForeign(Lane lane) {
    long[] ids = new long[size];
    int found = 0;
    for (int place = 0; place < size; place++) {
      if (lane.isForeign(place) && !arrivals.containsKey(lane.laneId(place))) {
        ids[found++] = lane.laneId(place);
      }
    }
    long[] ordered = Arrays.copyOf(ids, found);
    Arrays.sort(ordered);
    return ordered;
  }

  /// The place in the lane of an entry, by its position in this order.
  int place(int position) {
    return (int) (keys[position] & ((1L << PLACE_BITS) - 1));
  }

  /// An entry was chosen: it is new when it is ready again.
  void chosen(long id) {
    arrivals.remove(id);
  }
}
