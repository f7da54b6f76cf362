// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The timers of one tick of the wheel: sorted once, then read from the front.
///
/// **Cost** two passes over an array of `long`; a cancelled timer costs nothing here.
final class TimerRun {
  /*
   * The timers stay at their positions in their slot's chunks. A key consists of the deadline's
   * offset in the tick and, in the lower bits, that position, counted through all chunks. So the
   * sort moves no timer and reads none, and neither does reading the next deadline. Equal deadlines
   * come out in the order of positions, which is the order of arming. The computation of the keys
   * reads the timers one after the other; no read depends on another, so the cache misses overlap.
   *
   * A cancelled timer leaves a hole in its chunk.
   *
   * I1. Ascending by deadline, then by arming. [TimerQueueTest, TimerQueueModelTest]
   */
  static final long QUARTER = 1L << (TimerQueue.TICK_SHIFT - 2); // 0.26 ms

  private static final int INDEX_BITS = 32;
  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1; // above every position
  private static final int DIGIT = (TimerQueue.TICK_SHIFT + 1) / 2; // of an offset: two passes
  private static final int FEW = 256; // below, 2,048 counters cost more than a comparison sort
  private static final int MANY = 16; // timers; fewer are not worth a wait for each other
  private static final int KEPT = 4_096; // keys, 64 KB; larger arrays are dropped after their tick

  private final TimerSlots slots;
  private @Nullable TimerEntry[][] timers = new TimerEntry[4][]; // of the chunks, in order
  private int chunks;
  private TimerSlots.@Nullable Chunk taken;

  private long[] keys = new long[16];
  private long[] sortBuffer = {};
  private final int[] places = new int[1 << DIGIT];
  private long start;
  private int size;
  private int head;

  TimerRun(TimerSlots slots) {
    this.slots = slots;
  }

  /// Starts a new run, with the timers of the tick that begins at `start`. The previous run must be
  /// empty.
  void begin(TimerSlots.Chunk first, long start) {
    assert isEmpty() : "timers of an earlier tick are left";
    clear();
    this.start = start;
    taken = first;
    for (TimerSlots.Chunk chunk = first; chunk != null; chunk = chunk.next) {
      append(chunk);
    }
    sort();
  }

  private void clear() {
    for (TimerSlots.Chunk chunk = taken; chunk != null; chunk = chunk.next) {
      slots.release(chunk);
    }
    Arrays.fill(timers, 0, chunks, null);
    chunks = 0;
    size = 0;
    head = 0;
    if (keys.length > KEPT) {
      keys = new long[KEPT];
      sortBuffer = new long[KEPT];
      timers = new TimerEntry[KEPT >> TimerSlots.SHIFT][];
    }
  }

  private void append(TimerSlots.Chunk chunk) {
    if (chunks == timers.length) {
      timers = Arrays.copyOf(timers, chunks * 2);
    }
    if (size + chunk.fill > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(size + chunk.fill, size * 2));
    }
    int base = chunks << TimerSlots.SHIFT;
    timers[chunks++] = chunk.timers;
    for (int i = 0; i < chunk.fill; i++) {
      TimerEntry timer = chunk.timers[i];
      if (timer != null) {
        keys[size++] = (timer.deadline - start) << INDEX_BITS | base + i;
      }
    }
  }

  private void sort() {
    if (size < FEW) {
      Arrays.sort(keys, 0, size);
      return;
    }
    if (sortBuffer.length < size) {
      sortBuffer = new long[keys.length];
    }
    distribute(keys, sortBuffer, INDEX_BITS);
    distribute(sortBuffer, keys, INDEX_BITS + DIGIT);
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

  /// Whether no timer is left. Skips the holes, so that the next entry is a timer.
  boolean isEmpty() {
    while (head < size && timerOf(keys[head]) == null) {
      head++;
    }
    return head == size;
  }

  /// The next deadline; call only after [#isEmpty] has returned false.
  long least() {
    return deadlineAt(head);
  }

  /// The deadline of the last timer of this quarter of the tick, if many are left there: they share
  /// a wake-up. Else the next deadline. Call only after [#isEmpty] has returned false.
  long shared() {
    long end = (least() | (QUARTER - 1)) - start;
    int last = ~Arrays.binarySearch(keys, head, size, end << INDEX_BITS | INDEX_MASK) - 1;
    return deadlineAt(last - head < MANY ? head : last);
  }

  private long deadlineAt(int place) {
    return start + (keys[place] >>> INDEX_BITS);
  }

  /// Removes the next timer; call only after [#isEmpty] has returned false.
  @SuppressWarnings("NullAway") // isEmpty() has skipped the holes
  TimerEntry poll() {
    int place = placeOf(keys[head++]);
    TimerEntry[] chunk = timers[place >> TimerSlots.SHIFT];
    TimerEntry timer = chunk[place & TimerSlots.MASK];
    chunk[place & TimerSlots.MASK] = null;
    return timer;
  }

  private @Nullable TimerEntry timerOf(long key) {
    int place = placeOf(key);
    return timers[place >> TimerSlots.SHIFT][place & TimerSlots.MASK];
  }

  private static int placeOf(long key) {
    return (int) key;
  }
}
