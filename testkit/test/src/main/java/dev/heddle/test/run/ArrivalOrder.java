// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An order of the ready entries that does not depend on a thread of the JVM.
///
/// The JVM hands over monitors on a thread of its own. Which entries are ready at a decision is
/// certain by then, but not in which order that thread has brought them. So of the entries that are
/// new at a decision those that may come from it are last, by their numbers. The older ones keep
/// their order.
///
/// Between two updates by the same queue the entry that was chosen leaves it, and others come to
/// its end. So only those are looked at. Where more may have changed, all are ordered anew: another
/// queue was looked at, or two entries have the same number.
///
/// **Thread** the loop's.
final class ArrivalOrder {
  private static final int PLACE_BITS = 24; // more are never ready at once

  private final Map<Long, Long> arrivals =
      new HashMap<>(); // by id; an entry leaves when it is chosen
  private long arrived;

  private int[] places = new int[16]; // in the lane, by position in this order
  private int size;
  private @Nullable Object queue; // that they are of
  private boolean isDistinct; // the ids are
  private boolean hasChosen; // since the last update

  /// The candidates of a lane.
  interface Lane {
    /// The queue: in the one that it was before, what was chosen is missing, and new entries are
    /// last.
    Object queue();

    int size();

    long laneId(int place);

    /// Whether a thread of the JVM may have brought it.
    boolean isForeign(int place);
  }

  /// Takes in the entries of a lane.
  void update(Lane lane) {
    int known = size;
    boolean follows = hasChosen && isDistinct && queue == lane.queue() && known <= lane.size();
    hasChosen = false;
    queue = lane.queue();
    size = lane.size();
    if (places.length < size) {
      places = Arrays.copyOf(places, Integer.highestOneBit(size) * 2);
    }
    if (!follows || !append(lane, known)) {
      orderAll(lane);
    }
  }

  // false: two of them may have the same id
  private boolean append(Lane lane, int known) {
    int position = known;
    List<Integer> foreign = new ArrayList<>();
    for (int place = known; place < size; place++) {
      if (lane.isForeign(place)) {
        foreign.add(place);
      } else if (arrivals.putIfAbsent(lane.laneId(place), arrived + 1) == null) {
        arrived++;
        places[position++] = place;
      } else {
        return false;
      }
    }
    for (int place : foreign) {
      if (arrivals.containsKey(lane.laneId(place))) {
        return false;
      }
    }
    foreign.sort(Comparator.comparingLong(lane::laneId));
    for (int place : foreign) {
      if (arrivals.put(lane.laneId(place), ++arrived) != null) {
        return false;
      }
      places[position++] = place;
    }
    return true;
  }

  private void orderAll(Lane lane) {
    for (int place = 0; place < size; place++) {
      if (!lane.isForeign(place)) {
        arrivals.computeIfAbsent(lane.laneId(place), _ -> ++arrived);
      }
    }
    for (long id : newForeign(lane)) {
      arrivals.put(id, ++arrived);
    }
    long[] keys = new long[size]; // arrival, and place
    for (int place = 0; place < size; place++) {
      keys[place] = arrivals.getOrDefault(lane.laneId(place), 0L) << PLACE_BITS | place;
    }
    Arrays.sort(keys);
    isDistinct = true;
    for (int position = 0; position < size; position++) {
      places[position] = (int) (keys[position] & ((1L << PLACE_BITS) - 1));
      isDistinct &=
          position == 0 || keys[position] >> PLACE_BITS != keys[position - 1] >> PLACE_BITS;
    }
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
    return places[position];
  }

  /// The entry in a position was chosen: it leaves the queue, and is new when it is ready again.
  void chosen(int position, long id) {
    arrivals.remove(id);
    int left = places[position];
    size--;
    System.arraycopy(places, position + 1, places, position, size - position);
    for (int i = 0; i < size; i++) {
      if (places[i] > left) {
        places[i]--;
      }
    }
    hasChosen = true;
  }
}
