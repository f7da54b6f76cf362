// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.TimerSlots.Chunk;
import org.jspecify.annotations.Nullable;

/// The timers of one loop: armed and cancelled in constant time, fired in the order of deadline and
/// then of arming, never early.
public final class TimerQueue {
  /*
   * Later timers are in a hierarchical wheel. When a tick of the wheel is reached, its timers are
   * sorted once and then read from the front (the run).
   *
   *   nanoseconds ──>>20──> ticks of 1.05 ms.  `current` is the tick that has been reached.
   *   Near: 4,096 slots of one tick, 4.3 s; for ticks that differ from `current` in the lowest 12
   *   bits only.
   *   Far: levels of 64 slots. The level is the highest group of 6 bits in which the tick and
   *   `current` differ; the slot is the tick's digit there.
   *   Heap: timers armed for a tick before `horizon`, which is `current + 1` or later.
   *
   * So all timers of a level share their higher digits with `current`, and each is earlier than
   * every timer of a higher level. When `current` reaches a far slot, its timers are placed again,
   * on a lower level. When it reaches a near slot, that slot becomes the run.
   *
   * States of a timer.
   *   from       event           to       who, remark
   *   UNPLACED    arm             slot     a coroutine that waits, or the trampoline
   *   UNPLACED    arm             heap     the same, when the timer's tick is before the horizon
   *   far slot   advance         slot     the tick: at least one level down
   *   near slot  advance         run      the tick; the timer keeps its position
   *   slot       nextDeadline()  heap     all timers of the first slot, after the one with the
   *                                       least deadline was cancelled
   *   any other  cancel          UNPLACED
   *   heap, run  expire          UNPLACED  the tick
   *
   * Threads. The loop's. No lock, no user code.
   *
   * I1. No timer fires before its deadline. [TimerQueueTest]
   * I2. Equal deadlines fire in the order of arming. They are in that order in the one slot of
   *     their tick, or the heap compares arrivals; and a timer that enters the heap while there is
   *     a run was armed after all timers of the run. [TimerQueueTest, TimerQueueModelTest]
   * I3. nextDeadline() is exact, so a sleeping loop never wakes for a slot. [TimerQueueTest]
   * I4. A set bit means a slot with timers. [TimerQueueModelTest]
   * I5. When a slot is reached, the run and the heap are empty, because everything in them was due.
   *     [asserts in TimerRun and TimerHeap]
   * I6. A wake-up is less than a quarter of a tick after the first deadline, and only where it
   *     serves many timers. [WakeUpCountTest]
   *
   * Cost. Arm: a count of leading zeros and an append. Cancel: leaves a hole. A timer that is armed
   * for less than 4.3 s does not move until it fires; others move at most once per level (7 levels
   * span 146 years). A move reads the timers' deadlines, and the cache misses overlap.
   * nextDeadline(): two bitmaps, then the slot's least deadline. After that timer was cancelled,
   * the first slot becomes the heap, once: `horizon` is then the end of that slot, and arming
   * before the horizon takes logarithmic time until the heap is empty. A timer enters the heap at
   * most once. Fire: two passes of a radix sort, then a step for each timer. A loop has 56 KB of
   * slots.
   *
   * Wake-ups. A wake-up costs as much as firing a hundred timers, and a tick may hold thousands. So
   * where a quarter of a tick has many timers, they wait for the last of them. A crowded tick costs
   * five wake-ups: the first timer wakes the loop at its deadline, because only then the tick is
   * sorted.
   *
   * Rejected. A heap alone: to cancel one of a million timers costs ten cache misses, or tombstones
   * that need sweeps of milliseconds. A wheel alone: fires up to a tick late, and in no order
   * inside it. A skip list or tree: allocates. A heap for the whole tick: logarithmic for each
   * timer. Ticks of 65 us: shorter sorts, but one more level to move through. A
   * prefetch of the timers that fire next: they are in the cache since the sort.
   *
   * Sources. Varghese and Lauck, Hashed and Hierarchical Timing Wheels, 1987; trap-11, trap-14,
   * trap-15.
   */
  static final int TICK_SHIFT = 20; // 1.05 ms: of a million timers, a few hundred share a tick
  private static final int DIGIT = 6; // bits of a far level, and of an index into a bitmap
  private static final int NEAR_BITS = 2 * DIGIT; // one long shows which of 64 longs have a bit set
  private static final int NEAR = 1 << NEAR_BITS;
  private static final int FAR_LEVELS = 9; // all 64 bits, the sign, too
  private static final int SLOTS = NEAR + (FAR_LEVELS << DIGIT);

  final TimerSlots slots = new TimerSlots(SLOTS);
  private final long[] occupied = new long[SLOTS >> DIGIT]; // a bit for each slot
  private final long[] words = new long[2]; // a bit for each long of `occupied`: near, far

  private final TimerRun run = new TimerRun(slots);
  final TimerHeap heap = new TimerHeap();
  private final long[] deadlines = new long[1 << TimerSlots.SHIFT]; // see place(Chunk)

  private final boolean sharing; // timers may wait for each other

  private long current;
  private long horizon = Long.MIN_VALUE;
  private int armed;
  private @Nullable ReactorTrace trace; // null: none is being recorded
  // a lower bound of the first deadline: nothing can be due before it
  private long quietUntil = Long.MAX_VALUE;

  /// A queue for which a loop wakes at each deadline.
  TimerQueue(long now) {
    this(now, false);
  }

  /// An empty queue.
  ///
  /// @param now the time, on the scale of the deadlines
  /// @param sharing whether many timers that are due soon after each other may share a wake-up
  public TimerQueue(long now, boolean sharing) {
    this.sharing = sharing;
    advanceTo(now >> TICK_SHIFT);
  }

  public int size() {
    return armed;
  }

  void setTrace(@Nullable ReactorTrace observer) {
    trace = observer;
  }

  public boolean mayBeDue(long now) {
    return now >= quietUntil;
  }

  // ---- arm and cancel ----

  void arm(TimerEntry timer) {
    long deadline = timer.deadline;
    if (deadline >> TICK_SHIFT < horizon) {
      heap.add(timer, deadline);
    } else {
      place(timer, deadline);
    }
    armed++; // not before: there may be no memory
    if (deadline < quietUntil) {
      quietUntil = deadline;
    }
  }

  void cancel(TimerEntry timer) {
    int at = timer.at;
    if (at == TimerEntry.UNPLACED) {
      return;
    }
    armed--;
    if (at >= TimerHeap.PLACE) {
      heap.remove(timer);
      refill();
    } else {
      int emptied = slots.remove(timer);
      if (emptied != TimerSlots.NONE) {
        vacate(emptied);
      }
    }
    timer.at = TimerEntry.UNPLACED;
  }

  private void place(TimerEntry timer, long deadline) {
    int slot = slotOf(deadline >> TICK_SHIFT);
    if (slots.add(timer, deadline, slot)) {
      int word = slot >> DIGIT;
      occupied[word] |= 1L << slot;
      words[word >> DIGIT] |= 1L << word;
    }
  }

  private void vacate(int slot) {
    int word = slot >> DIGIT;
    occupied[word] &= ~(1L << slot);
    if (occupied[word] == 0) {
      words[word >> DIGIT] &= ~(1L << word);
    }
  }

  private int slotOf(long tick) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(tick ^ current);
    if (bits <= NEAR_BITS) {
      return (int) tick & (NEAR - 1);
    }
    int level = (bits - 1 - NEAR_BITS) / DIGIT;
    int digit = (int) (tick >>> (NEAR_BITS + level * DIGIT)) & ((1 << DIGIT) - 1);
    return NEAR + (level << DIGIT | digit);
  }

  // ---- time ----

  /// Fires, in order, every timer whose deadline is `now` or earlier.
  ///
  /// @return the number of timers fired
  public int advance(long now) {
    long reached = now >> TICK_SHIFT;
    int fired = expire(now);
    // each slot fires before the next is searched for: a callback may arm an earlier timer
    for (int slot = firstSlot(); slot >= 0 && startOf(slot) <= reached; slot = firstSlot()) {
      advanceTo(startOf(slot));
      spill(slot);
      fired += expire(now);
    }
    advanceTo(Math.max(current, reached));
    quietUntil = nextDeadline();
    return fired;
  }

  /// The first armed deadline, exactly; [Long#MAX_VALUE] when no timer is armed.
  public long nextDeadline() {
    boolean hasRun = !run.isEmpty();
    if (!heap.isEmpty()) {
      return hasRun ? Math.min(run.least(), heap.least()) : heap.least();
    }
    if (hasRun) {
      return run.least();
    }
    int slot = firstSlot();
    if (slot < 0) {
      return Long.MAX_VALUE;
    }
    long least = slots.least(slot);
    return least == TimerSlots.UNKNOWN ? order(slot) : least;
  }

  /// Until when a loop may sleep: [#nextDeadline], or the deadline of the last of many timers that
  /// share a wake-up.
  long wakeAt() {
    if (!sharing || run.isEmpty()) {
      return nextDeadline();
    }
    return heap.isEmpty() ? run.shared() : Math.min(heap.least(), run.shared());
  }

  // turns the first slot into the heap, when run and heap are empty: a search for its least
  // deadline would visit the whole slot for each timer, when they are cancelled in the order of
  // deadlines
  private long order(int slot) {
    horizon = startOf(slot) + (1L << shiftOf(slot));
    Chunk first = slots.take(slot);
    vacate(slot);
    heap.addAll(first);
    release(first);
    return heap.least();
  }

  private void release(Chunk first) {
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      slots.release(chunk);
    }
  }

  private void advanceTo(long tick) {
    current = tick;
    horizon = Math.max(horizon, tick + 1);
  }

  // resets the horizon of an empty heap
  private void refill() {
    if (heap.isEmpty()) {
      horizon = current + 1;
    }
  }

  private int firstSlot() {
    int half = words[0] != 0 ? 0 : 1;
    if (words[half] == 0) {
      return -1;
    }
    // every occupied digit is above the digit of `current`, so the lowest slot is the earliest
    int word = half << DIGIT | Long.numberOfTrailingZeros(words[half]);
    return word << DIGIT | Long.numberOfTrailingZeros(occupied[word]);
  }

  private long startOf(int slot) {
    int shift = shiftOf(slot);
    int width = slot < NEAR ? NEAR_BITS : DIGIT;
    long above = shift + width >= 63 ? 0 : current >> (shift + width) << (shift + width);
    return above | (long) (slot & ((1 << width) - 1)) << shift;
  }

  private static int shiftOf(int slot) {
    return slot < NEAR ? 0 : NEAR_BITS + ((slot - NEAR) >> DIGIT) * DIGIT;
  }

  private void spill(int slot) {
    Chunk first = slots.take(slot);
    vacate(slot);
    if (slot < NEAR) {
      run.begin(first, current << TICK_SHIFT);
      return;
    }
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      place(chunk);
    }
    release(first);
  }

  // two loops: each read of a timer is a cache miss, and the misses overlap only when no fence of a
  // garbage collector's barrier comes between them
  private void place(Chunk chunk) {
    for (int i = 0; i < chunk.fill; i++) {
      TimerEntry timer = chunk.timers[i];
      deadlines[i] = timer == null ? 0 : timer.deadline;
    }
    for (int i = 0; i < chunk.fill; i++) {
      TimerEntry timer = chunk.timers[i];
      if (timer != null) {
        place(timer, deadlines[i]);
      }
    }
  }

  private int expire(long now) {
    int fired = 0;
    for (TimerEntry due = pollDue(now); due != null; due = pollDue(now)) {
      due.at = TimerEntry.UNPLACED;
      armed--;
      fired++;
      if (trace != null) {
        trace.expired(due.deadline);
      }
      due.expire();
    }
    return fired;
  }

  private @Nullable TimerEntry pollDue(long now) {
    boolean hasRun = !run.isEmpty();
    // of equal deadlines, those in the run were armed first
    if (!heap.isEmpty() && (!hasRun || heap.least() < run.least())) {
      if (heap.least() > now) {
        return null;
      }
      TimerEntry due = heap.poll();
      refill();
      return due;
    }
    return hasRun && run.least() <= now ? run.poll() : null;
  }
}
