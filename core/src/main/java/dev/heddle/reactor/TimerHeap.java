// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A heap of timers in the order of their deadlines; timers of equal deadlines in order of arrival.
///
/// **Cost** logarithmic, also to remove a timer.
final class TimerHeap {
  /*
   * A node has four children: half as many levels as with two, and the children's deadlines share a
   * cache line. Parallel arrays hold each entry's deadline and arrival number, so that a comparison
   * reads no timer object. A timer knows its index, offset by PLACE.
   *
   * I1. The first entry is the least by (deadline, arrival). [TimerHeapTest]
   * I2. timers[i].at == PLACE + i. [TimerHeapTest]
   */
  static final int PLACE = 1 << 30; // above every position in the slots
  private static final int KEPT = 1_024; // entries, 20 KB; an empty heap drops larger arrays

  private long[] deadlines = new long[16];
  private long[] arrivals = new long[16];
  private @Nullable TimerEntry[] timers = new TimerEntry[16];
  private int size;
  private long arrived;
  long visited; // entries compared so far, for tests

  boolean isEmpty() {
    return size == 0;
  }

  long least() {
    return deadlines[0];
  }

  void add(TimerEntry timer, long deadline) {
    extend();
    siftUp(size++, timer, deadline, arrived++);
  }

  /// Adds the timers of chunks, in order, to an empty heap, in linear time.
  void addAll(TimerSlots.Chunk first) {
    assert isEmpty() : "the heap must be empty: its timers arrived earlier";
    for (TimerSlots.Chunk chunk = first; chunk != null; chunk = chunk.next) {
      for (int i = 0; i < chunk.fill; i++) {
        TimerEntry timer = chunk.timers[i];
        if (timer != null) {
          extend();
          put(size++, timer, timer.deadline, arrived++);
        }
      }
    }
    for (int at = (size - 2) >> 2; at >= 0; at--) {
      siftDown(at, timer(at), deadlines[at], arrivals[at]);
    }
  }

  void remove(TimerEntry timer) {
    int at = timer.at - PLACE;
    int end = --size;
    TimerEntry last = timer(end);
    timers[end] = null;
    if (at != end) {
      siftDown(at, last, deadlines[end], arrivals[end]);
      int now = last.at - PLACE;
      siftUp(now, last, deadlines[now], arrivals[now]);
    }
    if (end == 0 && timers.length > KEPT) {
      deadlines = new long[KEPT];
      arrivals = new long[KEPT];
      timers = new TimerEntry[KEPT];
    }
  }

  TimerEntry poll() {
    TimerEntry first = timer(0);
    remove(first);
    return first;
  }

  @SuppressWarnings("NullAway") // below `size`
  private TimerEntry timer(int at) {
    return timers[at];
  }

  private void extend() {
    if (size == timers.length) {
      deadlines = Arrays.copyOf(deadlines, size * 2);
      arrivals = Arrays.copyOf(arrivals, size * 2);
      timers = Arrays.copyOf(timers, size * 2);
    }
  }

  private void put(int at, TimerEntry timer, long deadline, long arrival) {
    deadlines[at] = deadline;
    arrivals[at] = arrival;
    timers[at] = timer;
    timer.at = PLACE + at;
  }

  private void move(int from, int to) {
    put(to, timer(from), deadlines[from], arrivals[from]);
  }

  private void siftUp(int from, TimerEntry timer, long deadline, long arrival) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) >> 2;
      visited++;
      if (!isEarlier(deadline, arrival, parent)) {
        break;
      }
      move(parent, at);
      at = parent;
    }
    put(at, timer, deadline, arrival);
  }

  private void siftDown(int from, TimerEntry timer, long deadline, long arrival) {
    int at = from;
    for (int child = (at << 2) + 1; child < size; child = (at << 2) + 1) {
      int least = child;
      for (int c = child + 1; c < Math.min(child + 4, size); c++) {
        if (isEarlier(deadlines[c], arrivals[c], least)) {
          least = c;
        }
      }
      visited += 4;
      if (isEarlier(deadline, arrival, least)) {
        break;
      }
      move(least, at);
      at = least;
    }
    put(at, timer, deadline, arrival);
  }

  private boolean isEarlier(long deadline, long arrival, int than) {
    return deadline < deadlines[than] || (deadline == deadlines[than] && arrival < arrivals[than]);
  }
}
