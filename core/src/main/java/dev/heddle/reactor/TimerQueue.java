// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import org.jspecify.annotations.Nullable;

/// The timers of one loop: arm and cancel in constant time, fire in the order of deadline and
/// arming, never early.
public final class TimerQueue {
  /*
   * Far timers wait in a hierarchical wheel. The timers of the tick that has come are sorted once and read from the front.
   *
   *   nanoseconds ──>>20──> ticks of 1.05 ms.  `current` is the tick that has been reached.
   *   Armed for a tick after `current`: level = the highest group of 6 bits in which tick and current differ, slot = the tick's digit there.
   *   Armed for `current` or earlier: late, a heap.
   *
   * So all timers of a level share their higher digits with `current`, and each is earlier than every timer of a higher level.
   * When `current` reaches a slot, its timers are placed anew: on a lower level, or in the run when their tick is `current`.
   *
   * States of a timer.  from       event    to       who
   *                     NOWHERE    arm      slot     a coroutine that waits, or the trampoline
   *                     NOWHERE    arm      late     the same, when its tick has come
   *                     slot       advance  slot'    tick: one level down at least
   *                     slot       advance  run      tick
   *                     any other  cancel   NOWHERE  leaves a hole in the run, none elsewhere
   *                     late, run  expire   NOWHERE  tick
   *
   * Where a timer stands follows from its deadline, `current` and `at`: an index in its slot or among the late, or ~index in the run.
   *
   * Threads. The loop's own. No lock, no user code.
   *
   * I1. No timer fires before its deadline. [TimerQueueTest]
   * I2. Equal deadlines fire in the order of arming: a run is sorted by (deadline, sequence), the late are a heap by it, and whoever is
   *     late was armed after the whole run. [TimerQueueTest, TimerQueueModelTest]
   * I3. nextDeadline() is exact, so a sleeping loop wakes once per deadline and never for a slot. [TimerQueueTest]
   * I4. A set bit of a level means a slot with timers. [TimerQueueModelTest]
   * I5. When a slot is reached, nothing is left in the run or among the late, for all of it was due. [assert in TimerRun]
   *
   * Cost. Arm: a shift, a count of leading zeros, an append. Cancel: the slot's last timer fills the hole. A timer moves at most
   * once per level (7 levels span 146 years); moving compares deadlines that stand side by side, and writes to each timer where it
   * stands now. nextDeadline(): a look at each level, then the slot's least deadline. Whoever cancels that one makes a heap of the
   * first slot once, where arm and cancel then take the logarithm; all others stay as they are.
   * Fire: two passes of a radix sort, then a step forward.
   *
   * Rejected. A heap alone: cancelling among a million costs ten cache misses, or tombstones that need a sweep of milliseconds.
   * A wheel alone: fires late by up to a tick, and without order inside it. A skip list or tree: allocates.
   * Lists through the timers: each step of a walk is a cache miss that waits for the one before. A heap for the whole tick: a
   * logarithm for each timer. Ticks of 65 us: shorter sorts, but one level more to pass.
   *
   * Sources. Varghese and Lauck, Hashed and Hierarchical Timing Wheels, 1987; DESIGN 3.1; traps 11, 14, 15.
   */
  static final int NOWHERE = Integer.MIN_VALUE;
  static final int TICK_SHIFT =
      20; // 1.05 ms: a few hundred timers share a tick when a million are spread over minutes
  private static final int DIGIT = 6; // bits a level: one long as its bitmap
  private static final int SLOTS = 1 << DIGIT;
  private static final int LEVELS =
      11; // all 64 bits: a clock below zero and a deadline above it differ in the sign, too

  private final TimerBag.Chunks chunks = new TimerBag.Chunks();
  private final @Nullable TimerBag[] slots = new TimerBag[LEVELS * SLOTS]; // made when needed
  private final long[] occupied = new long[LEVELS];
  private int levelsInUse; // bitmap

  private final TimerRun run = new TimerRun();
  private final TimerBag late = new TimerBag(chunks, true);
  private final int[] places = new int[TimerBag.Chunk.SIZE]; // of a chunk that is placed anew

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

  /// What the slots are made of.
  TimerBag.Chunks chunks() {
    return chunks;
  }

  // ---- arm and cancel ----

  void arm(TimerEvent timer) {
    long deadline = timer.deadline;
    timer.sequence = sequence++;
    armed++;
    if (deadline >> TICK_SHIFT <= current) {
      late.add(timer, deadline);
    } else {
      bagFor(deadline).add(timer, deadline);
    }
    if (deadline < quietUntil) {
      quietUntil = deadline;
    }
  }

  @SuppressWarnings("NullAway") // a timer's slot has a bag
  void cancel(TimerEvent timer) {
    int at = timer.at;
    if (at == NOWHERE) {
      return;
    }
    armed--;
    long tick = timer.deadline >> TICK_SHIFT;
    if (at < 0) {
      run.remove(timer);
    } else if (tick <= current) {
      late.remove(at);
    } else {
      int slot = slotOf(tick);
      TimerBag bag = slots[slot];
      bag.remove(at);
      if (bag.isEmpty()) {
        vacate(slot);
      }
    }
    timer.at = NOWHERE;
  }

  /// Places the first `count` timers of a chunk anew; they stood in the slot that has been reached.
  @SuppressWarnings("NullAway") // there are as many
  void place(TimerBag.Chunk chunk, int count) {
    for (int i = 0; i < count; i++) {
      long deadline = chunk.deadlines[i];
      TimerEvent timer = chunk.timers[i];
      places[i] =
          deadline >> TICK_SHIFT == current
              ? run.append(timer, deadline)
              : bagFor(deadline).append(timer, deadline);
    }
    // apart: each is a cache miss, and they overlap only without the fences of a collector's
    // barriers between them
    for (int i = 0; i < count; i++) {
      chunk.timers[i].at = places[i];
    }
  }

  private TimerBag bagFor(long deadline) {
    int slot = slotOf(deadline >> TICK_SHIFT);
    TimerBag bag = slots[slot];
    if (bag == null) {
      bag = new TimerBag(chunks, false);
      slots[slot] = bag;
    }
    if (bag.isEmpty()) {
      occupied[slot >> DIGIT] |= 1L << slot;
      levelsInUse |= 1 << (slot >> DIGIT);
    }
    return bag;
  }

  private int slotOf(long tick) {
    int level = (63 - Long.numberOfLeadingZeros(tick ^ current)) / DIGIT;
    int digit = (int) (tick >>> (level * DIGIT)) & (SLOTS - 1);
    return level * SLOTS + digit;
  }

  private void vacate(int slot) {
    int level = slot >> DIGIT;
    occupied[level] &= ~(1L << slot);
    if (occupied[level] == 0) {
      levelsInUse &= ~(1 << level);
    }
  }

  // ---- time ----

  /// Fires, in order, every timer whose deadline is `now` or earlier.
  ///
  /// @return how many fired
  public int advance(long now) {
    long reached = now >> TICK_SHIFT;
    int fired = expire(now);
    // slot by slot, and each is fired before the next is sought: a callback may arm an earlier one
    for (int slot = firstSlot(); slot >= 0 && startOf(slot) <= reached; slot = firstSlot()) {
      current = startOf(slot);
      spill(slot);
      fired += expire(now);
    }
    current = Math.max(current, reached);
    quietUntil = nextDeadline();
    return fired;
  }

  /// The first deadline armed, exactly; [Long#MAX_VALUE] when there is none.
  @SuppressWarnings("NullAway") // an occupied slot has a bag
  public long nextDeadline() {
    boolean hasRun = !run.isEmpty();
    if (!late.isEmpty()) {
      return hasRun ? Math.min(run.least(), late.least()) : late.least();
    }
    if (hasRun) {
      return run.least();
    }
    int slot = firstSlot();
    return slot < 0 ? Long.MAX_VALUE : slots[slot].least();
  }

  private int firstSlot() {
    if (levelsInUse == 0) {
      return -1;
    }
    int level = Integer.numberOfTrailingZeros(levelsInUse);
    // every occupied digit is above the current one: see the essay
    return level * SLOTS + Long.numberOfTrailingZeros(occupied[level]);
  }

  private long startOf(int slot) {
    int level = slot >> DIGIT;
    int shift = level * DIGIT;
    long above = shift + DIGIT >= 63 ? 0 : current >> (shift + DIGIT) << (shift + DIGIT);
    return above | (long) (slot & (SLOTS - 1)) << shift;
  }

  @SuppressWarnings("NullAway") // an occupied slot has a bag
  private void spill(int slot) {
    vacate(slot);
    run.begin(current << TICK_SHIFT);
    slots[slot].spillInto(this);
    run.sort();
  }

  private int expire(long now) {
    int fired = 0;
    for (TimerEvent due = pollDue(now); due != null; due = pollDue(now)) {
      due.at = NOWHERE;
      armed--;
      fired++;
      due.expire();
    }
    return fired;
  }

  private @Nullable TimerEvent pollDue(long now) {
    boolean hasRun = !run.isEmpty();
    // of equal deadlines, those of the run were armed first
    if (!late.isEmpty() && (!hasRun || late.least() < run.least())) {
      return late.least() <= now ? late.poll() : null;
    }
    return hasRun && run.least() <= now ? run.poll() : null;
  }
}
