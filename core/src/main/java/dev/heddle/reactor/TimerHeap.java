// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Timers in the order of their deadlines; those of equal deadlines in that of their arrival.
///
/// **Cost** The logarithm, also to remove one.
final class TimerHeap {
  /*
   * Four children a node: half as many levels as with two, and their deadlines share a cache line.
   * An entry's deadline and arrival stand beside its timer, so that comparing touches no timer. A
   * timer knows its index, above PLACE.
   *
   * I1. The first entry is the least by (deadline, arrival). [TimerHeapTest]
   * I2. timers[i].at == PLACE + i. [TimerHeapTest]
   */
  static final int PLACE = 1 << 30; // above every place of the slots
  private static final int KEPT = 1_024; // entries, 20 KB; larger arrays go when the heap is empty

  private long[] deadlines = new long[16];
  private long[] arrivals = new long[16];
  private @Nullable TimerEvent[] timers = new TimerEvent[16];
  private int size;
  private long arrived;
  private long visited;

  boolean isEmpty() {
    return size == 0;
  }

  /// Entries looked at for the sake of order, so far.
  long visited() {
    return visited;
  }

  /// The least deadline of a heap that is not empty.
  long least() {
    return deadlines[0];
  }

  void add(TimerEvent timer, long deadline) {
    extend();
    siftUp(size++, timer, deadline, arrived++);
  }

  /// Adds the timers of chunks, in order, to an empty heap, in linear time.
  void addAll(TimerSlots.Chunk first) {
    assert isEmpty() : "there are timers already, which arrived earlier";
    for (TimerSlots.Chunk chunk = first; chunk != null; chunk = chunk.next) {
      for (int i = 0; i < chunk.fill; i++) {
        TimerEvent timer = chunk.timers[i];
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

  /// Removes a timer that is inside.
  void remove(TimerEvent timer) {
    int at = timer.at - PLACE;
    int end = --size;
    TimerEvent last = timer(end);
    timers[end] = null;
    if (at != end) {
      siftDown(at, last, deadlines[end], arrivals[end]);
      int now = last.at - PLACE;
      siftUp(now, last, deadlines[now], arrivals[now]);
    }
    if (end == 0 && timers.length > KEPT) {
      deadlines = new long[KEPT];
      arrivals = new long[KEPT];
      timers = new TimerEvent[KEPT];
    }
  }

  /// Takes the first out of a heap that is not empty.
  TimerEvent poll() {
    TimerEvent first = timer(0);
    remove(first);
    return first;
  }

  @SuppressWarnings("NullAway") // below `size`
  private TimerEvent timer(int at) {
    return timers[at];
  }

  private void extend() {
    if (size == timers.length) {
      deadlines = Arrays.copyOf(deadlines, size * 2);
      arrivals = Arrays.copyOf(arrivals, size * 2);
      timers = Arrays.copyOf(timers, size * 2);
    }
  }

  private void put(int at, TimerEvent timer, long deadline, long arrival) {
    deadlines[at] = deadline;
    arrivals[at] = arrival;
    timers[at] = timer;
    timer.at = PLACE + at;
  }

  private void move(int from, int to) {
    put(to, timer(from), deadlines[from], arrivals[from]);
  }

  private void siftUp(int from, TimerEvent timer, long deadline, long arrival) {
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

  private void siftDown(int from, TimerEvent timer, long deadline, long arrival) {
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
