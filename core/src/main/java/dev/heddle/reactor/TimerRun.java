// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// The timers of one tick of the wheel: gathered, sorted once, then read from the front.
///
/// **Cost** Two passes over an array of `long`; nothing to cancel one.
final class TimerRun {
  /*
   * A key is the deadline's offset in the tick above the index of its timer. So sorting moves no timer and looks into none, and
   * neither does reading the next deadline. A timer knows its index as `~at`; one that is cancelled leaves a hole.
   *
   * Timers of equal deadlines come out by their indices. Where these do not tell the order of arming, because a bag has filled
   * a hole with its last timer, they change places.
   *
   * I1. Ascending by (deadline, sequence). [TimerQueueTest, TimerQueueModelTest]
   */
  private static final Comparator<TimerEvent> BY_ARMING =
      Comparator.comparingLong(timer -> timer.sequence);
  private static final int INDEX_BITS = 32;
  private static final int DIGIT = (TimerQueue.TICK_SHIFT + 1) / 2; // of an offset: two passes
  private static final int FEW = 256; // below, clearing and summing 2,048 counters costs more
  private static final int KEPT = 4_096; // entries, 80 KB; larger arrays go when their tick is over

  private long[] keys = new long[16];
  private @Nullable TimerEvent[] timers = new TimerEvent[16];
  private long[] spare = {};
  private final int[] places = new int[1 << DIGIT];
  private long start;
  private int size;
  private int head;

  /// Makes room for the timers of the tick that begins at `start`.
  void begin(long start) {
    assert isEmpty() : "timers of an earlier tick are left";
    this.start = start;
    size = 0;
    head = 0;
    if (keys.length > KEPT) {
      keys = new long[KEPT];
      timers = new TimerEvent[KEPT];
      spare = new long[KEPT];
    }
  }

  /// Adds a timer of the tick, to be sorted later.
  ///
  /// @return what the caller tells the timer as its place
  int append(TimerEvent timer, long deadline) {
    int index = size;
    if (index == keys.length) {
      keys = Arrays.copyOf(keys, index * 2);
      timers = Arrays.copyOf(timers, index * 2);
    }
    size = index + 1;
    keys[index] = (deadline - start) << INDEX_BITS | index;
    timers[index] = timer;
    return ~index;
  }

  void sort() {
    if (size < FEW) {
      Arrays.sort(keys, 0, size);
    } else {
      if (spare.length < size) {
        spare = new long[keys.length];
      }
      distribute(keys, spare, INDEX_BITS);
      distribute(spare, keys, INDEX_BITS + DIGIT);
    }
    for (int i = 1; i < size; i++) {
      if (offset(i) == offset(i - 1)) {
        i = settle(i - 1);
      }
    }
  }

  /// Whether none is left. Passes over the holes, so that the next one is a timer.
  boolean isEmpty() {
    while (head < size && timers[(int) keys[head]] == null) {
      head++;
    }
    return head == size;
  }

  /// The next deadline, once [#isEmpty] has said that there is one.
  long least() {
    return start + offset(head);
  }

  /// Takes the next timer, once [#isEmpty] has said that there is one.
  @SuppressWarnings("NullAway") // isEmpty() has passed over the holes
  TimerEvent poll() {
    int index = (int) keys[head++];
    TimerEvent timer = timers[index];
    timers[index] = null;
    return timer;
  }

  void remove(TimerEvent timer) {
    timers[~timer.at] = null;
  }

  private long offset(int at) {
    return keys[at] >>> INDEX_BITS;
  }

  // one pass of a radix sort, stable
  private void distribute(long[] from, long[] to, int shift) {
    int mask = places.length - 1;
    Arrays.fill(places, 0);
    for (int i = 0; i < size; i++) {
      places[(int) (from[i] >>> shift) & mask]++;
    }
    int sum = 0;
    for (int digit = 0; digit <= mask; digit++) {
      int count = places[digit];
      places[digit] = sum;
      sum += count;
    }
    for (int i = 0; i < size; i++) {
      long key = from[i];
      to[places[(int) (key >>> shift) & mask]++] = key;
    }
  }

  // brings the timers of one deadline, from `first` on, into the order of arming; returns the last
  @SuppressWarnings("NullAway") // no holes before the first is read
  private int settle(int first) {
    int end = first + 1;
    boolean inOrder = true;
    for (; end < size && offset(end) == offset(first); end++) {
      inOrder &= timers[(int) keys[end - 1]].sequence < timers[(int) keys[end]].sequence;
    }
    if (!inOrder) {
      TimerEvent[] equals = new TimerEvent[end - first];
      Arrays.setAll(equals, i -> timers[(int) keys[first + i]]);
      Arrays.sort(equals, BY_ARMING);
      for (int i = first; i < end; i++) {
        int index = (int) keys[i];
        timers[index] = equals[i - first];
        equals[i - first].at = ~index;
      }
    }
    return end - 1;
  }
}
