// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The timers of one loop: arm and cancel in constant time, fire in the order of deadline and
/// arming, never early.
public final class TimerQueue {
  /*
   * Far timers wait in a hierarchical wheel, near ones in a heap.
   *
   *   nanoseconds ──>>20──> ticks of 1.05 ms.  `current` is the tick that has been reached.
   *   A timer whose tick is `current` or earlier: the heap, ordered by (deadline, sequence).
   *   Any other: level = the highest group of 6 bits in which tick and current differ, slot = the tick's digit there.
   *
   * So all timers of a level share their higher digits with `current`, and each is earlier than every timer of a higher level.
   * When `current` reaches a slot, its timers are placed anew: on a lower level, or in the heap.
   *
   * States of a timer.  from     event      to       who
   *                     NOWHERE  arm        slot     a coroutine that waits, or the trampoline
   *                     NOWHERE  arm        HEAP     the same, when it is due within the current tick
   *                     slot     advance    slot'    tick: one level down at least
   *                     slot     advance    HEAP     tick
   *                     slot     cancel     NOWHERE  unlinked at once
   *                     HEAP     cancel     STALE    the heap's entry stays as a tombstone, at most a tick long
   *                     STALE    arm        HEAP     the tombstone goes first: its key would change inside the heap
   *                     STALE    peek       NOWHERE  the tombstone has come to the top
   *                     HEAP     expire     NOWHERE  tick
   *
   * Threads. The loop's own. No lock, no user code.
   *
   * I1. No timer fires before its deadline. [TimerQueueTest]
   * I2. Equal deadlines fire in the order of arming: the heap compares the sequence, the wheel keeps no order. [TimerQueueTest]
   * I3. nextDeadline() is exact, so a sleeping loop wakes once per deadline and never for a slot. [TimerQueueTest]
   * I4. A set bit of a level means a slot with timers. [TimerQueueTest, against a sorted set]
   *
   * Cost. Arm: a shift, a count of leading zeros, a link. Cancel: an unlink. A timer moves at most once per level (7 levels span
   * 146 years). nextDeadline(): a look at each level, then the slot's least deadline, which is kept while arming and sought anew
   * only when the timer that held it was cancelled.
   *
   * Rejected. A heap alone: cancelling among a million costs ten cache misses, or tombstones that need a sweep of milliseconds.
   * A wheel alone: fires late by up to a tick, and without order inside it. A skip list or tree: allocates.
   *
   * Sources. Varghese and Lauck, Hashed and Hierarchical Timing Wheels, 1987; DESIGN 3.1; traps 11, 14, 15.
   */
  static final int NOWHERE = -1;
  private static final int HEAP = -2;
  private static final int STALE = -3;
  private static final int TICK_SHIFT =
      20; // 1.05 ms: a few hundred timers share a tick when a million are spread over minutes
  private static final int DIGIT = 6; // bits a level: one long as its bitmap
  private static final int SLOTS = 1 << DIGIT;
  private static final int LEVELS =
      11; // all 64 bits: a clock below zero and a deadline above it differ in the sign, too
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final @Nullable TimerEvent[] slots = new TimerEvent[LEVELS * SLOTS];
  private final long[] leastDeadline = new long[LEVELS * SLOTS];
  private final long[] occupied = new long[LEVELS];
  private int levelsInUse; // bitmap

  private TimerEvent[] heap = new TimerEvent[16];
  private int heapSize;

  private long current;
  private long sequence;
  private int armed;
  // a bound from below for the first deadline: nothing can be due before it
  private long quietUntil = Long.MAX_VALUE;

  /// An empty queue that has reached `now`.
  public TimerQueue(long now) {
    current = now >> TICK_SHIFT;
  }

  /// Timers armed.
  public int size() {
    return armed;
  }

  /// Whether a look at the clock is worthwhile at `now`.
  public boolean mayBeDue(long now) {
    return now >= quietUntil;
  }

  // ---- arm and cancel ----

  void arm(TimerEvent timer) {
    if (timer.place == STALE) {
      removeStale(timer);
    }
    timer.sequence = sequence++;
    armed++;
    place(timer);
    if (timer.deadline < quietUntil) {
      quietUntil = timer.deadline;
    }
  }

  void cancel(TimerEvent timer) {
    int place = timer.place;
    if (place == NOWHERE || place == STALE) {
      return;
    }
    armed--;
    if (place == HEAP) {
      timer.place = STALE;
    } else {
      timer.place = NOWHERE;
      unlink(timer, place);
    }
  }

  private void place(TimerEvent timer) {
    long tick = timer.deadline >> TICK_SHIFT;
    if (tick <= current) {
      timer.place = HEAP;
      push(timer);
      return;
    }
    int level = (63 - Long.numberOfLeadingZeros(tick ^ current)) / DIGIT;
    int digit = (int) (tick >>> (level * DIGIT)) & (SLOTS - 1);
    link(timer, level * SLOTS + digit);
  }

  private void link(TimerEvent timer, int place) {
    timer.place = place;
    TimerEvent first = slots[place];
    slots[place] = timer;
    timer.next = first;
    if (first == null) {
      leastDeadline[place] = timer.deadline;
      occupied[place >> DIGIT] |= 1L << place;
      levelsInUse |= 1 << (place >> DIGIT);
    } else {
      first.previous = timer;
      if (timer.deadline < leastDeadline[place] && leastDeadline[place] != UNKNOWN) {
        leastDeadline[place] = timer.deadline;
      }
    }
  }

  private void unlink(TimerEvent timer, int place) {
    TimerEvent before = timer.previous;
    TimerEvent after = timer.next;
    timer.previous = null;
    timer.next = null;
    if (after != null) {
      after.previous = before;
    }
    if (before != null) {
      before.next = after;
    } else {
      slots[place] = after;
      if (after == null) {
        vacate(place);
        return;
      }
    }
    if (timer.deadline == leastDeadline[place]) {
      leastDeadline[place] = UNKNOWN;
    }
  }

  private void vacate(int place) {
    int level = place >> DIGIT;
    occupied[level] &= ~(1L << place);
    if (occupied[level] == 0) {
      levelsInUse &= ~(1 << level);
    }
  }

  // ---- time ----

  /// Fires, in order, every timer whose deadline is `now` or earlier.
  ///
  /// @return how many fired
  public int advance(long now) {
    int fired = 0;
    long reached = now >> TICK_SHIFT;
    // slot by slot, so that what lies in different ticks fires in the order of ticks
    for (int place = firstSlot(); place >= 0 && startOf(place) <= reached; place = firstSlot()) {
      fired += expireHeap(now);
      current = Math.max(current, startOf(place));
      spill(place);
    }
    current = Math.max(current, reached);
    fired += expireHeap(now);
    quietUntil = nextDeadline();
    return fired;
  }

  /// The first deadline armed, exactly; [Long#MAX_VALUE] when there is none.
  public long nextDeadline() {
    TimerEvent first = peek();
    if (first != null) {
      return first.deadline;
    }
    int place = firstSlot();
    return place < 0 ? Long.MAX_VALUE : leastDeadlineOf(place);
  }

  private long leastDeadlineOf(int place) {
    long least = leastDeadline[place];
    if (least == UNKNOWN) {
      least = Long.MAX_VALUE;
      for (TimerEvent t = slots[place]; t != null; t = t.next) {
        least = Math.min(least, t.deadline);
      }
      leastDeadline[place] = least;
    }
    return least;
  }

  private int firstSlot() {
    if (levelsInUse == 0) {
      return -1;
    }
    int level = Integer.numberOfTrailingZeros(levelsInUse);
    // every occupied digit is above the current one: see the essay
    return level * SLOTS + Long.numberOfTrailingZeros(occupied[level]);
  }

  private long startOf(int place) {
    int level = place >> DIGIT;
    int shift = level * DIGIT;
    long above = shift + DIGIT >= 63 ? 0 : current >> (shift + DIGIT) << (shift + DIGIT);
    return above | (long) (place & (SLOTS - 1)) << shift;
  }

  private void spill(int place) {
    TimerEvent timer = slots[place];
    slots[place] = null;
    vacate(place);
    while (timer != null) {
      TimerEvent next = timer.next;
      timer.previous = null;
      timer.next = null;
      place(timer);
      timer = next;
    }
  }

  private int expireHeap(long now) {
    int fired = 0;
    for (TimerEvent first = peek(); first != null && first.deadline <= now; first = peek()) {
      pop();
      first.place = NOWHERE;
      armed--;
      fired++;
      first.expire();
    }
    return fired;
  }

  // ---- the heap: 4 children a node, so that they share a cache line ----

  private @Nullable TimerEvent peek() {
    while (heapSize > 0 && heap[0].place == STALE) {
      heap[0].place = NOWHERE;
      pop();
    }
    return heapSize == 0 ? null : heap[0];
  }

  private static boolean earlier(TimerEvent a, TimerEvent b) {
    return a.deadline < b.deadline || (a.deadline == b.deadline && a.sequence < b.sequence);
  }

  private void push(TimerEvent timer) {
    if (heapSize == heap.length) {
      heap = Arrays.copyOf(heap, heapSize * 2);
    }
    siftUp(heapSize++, timer);
  }

  private void siftUp(int from, TimerEvent timer) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) >> 2;
      if (!earlier(timer, heap[parent])) {
        break;
      }
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = timer;
  }

  @SuppressWarnings("NullAway") // the vacated slot is beyond heapSize and never read
  private void pop() {
    TimerEvent last = heap[--heapSize];
    heap[heapSize] = null;
    if (heapSize > 0) {
      siftDown(0, last);
    }
  }

  // a scan: the same timer armed twice within a tick is rare, and a tick's heap is small
  @SuppressWarnings("NullAway") // the vacated slot is beyond heapSize and never read
  private void removeStale(TimerEvent timer) {
    timer.place = NOWHERE;
    int at = 0;
    while (heap[at] != timer) {
      at++;
    }
    TimerEvent last = heap[--heapSize];
    heap[heapSize] = null;
    if (at < heapSize) {
      siftDown(at, last);
      if (heap[at] == last) {
        siftUp(at, last);
      }
    }
  }

  private void siftDown(int from, TimerEvent last) {
    int at = from;
    for (int child = (at << 2) + 1; child < heapSize; child = (at << 2) + 1) {
      int least = child;
      for (int c = child + 1; c < Math.min(child + 4, heapSize); c++) {
        if (earlier(heap[c], heap[least])) {
          least = c;
        }
      }
      if (!earlier(heap[least], last)) {
        break;
      }
      heap[at] = heap[least];
      at = least;
    }
    heap[at] = last;
  }
}
