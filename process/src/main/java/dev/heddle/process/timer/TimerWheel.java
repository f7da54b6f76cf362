// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Timers in the order of their deadlines, as far as that is worth its price: to a tick of 1.05 ms,
/// and never early. One thread only.
final class TimerWheel {
  /*
   * Eight levels of 64 slots. A slot of level 0 holds one tick, 2^20 ns; one of level n as many
   * ticks as all of level n - 1. A timer stands at the level of the highest group of six bits in
   * which the tick of its deadline differs from the tick that the wheel has reached: so at each
   * level it stands behind the slot that the wheel has reached, and the first slot of the lowest
   * level that has one is the next. When the wheel reaches a slot of a higher level, its timers go
   * to lower ones; of level 0, they fire.
   *
   *   tick reached   0b000_001   deadline's tick   0b000_111   level 0, slot 7
   *                              deadline's tick 0b11_000_001   level 1, slot 3
   *
   * A timer is looked at when its slot is reached, whatever its deadline is by then: it may have
   * moved on, then it is put to its new place; it may be disarmed, then it is dropped. So who
   * waits again and again with a limit has one node, which moves once per limit.
   *
   * I1. It never fires early: the tick of a deadline is rounded up, the tick reached is rounded
   *     down. [TimerWheelTest]
   * I2. A timer in the wheel is looked at before the wheel goes beyond the tick of its `due`.
   *     [TimerWheelTest]
   * I3. A bit of `occupied` is set if and only if its slot has a timer: each knows its slot.
   *     [TimerWheelTest]
   * I4. A slot that was reached does not get the timers back that are taken out of it: they differ
   *     from the tick reached in a lower group, or stand elsewhere.
   *
   * Cost. O(1) to put in, to take out, and for each level that a timer goes down: seven at most,
   * two for a minute. Nothing is allocated.
   *
   * Rejected. A heap: log n for each, and a disarmed timer stays until it is at the top, or costs
   * log n too. A wheel for each worker: who sleeps cannot turn it, and a thief would have to.
   * Exact order: nobody who waits for a time can tell one millisecond of lateness from another.
   *
   * Sources. G. Varghese and T. Lauck, "Hashed and hierarchical timing wheels", 1987; the wheel of
   * Tokio, whose choice of a level this is; decision 0035.
   */
  static final int TICK_BITS = 20; // a tick of 1.05 ms: half the resolution that sleepers expect
  private static final int LEVEL_BITS = 6;
  private static final int SLOTS = 1 << LEVEL_BITS;
  private static final int LEVELS = 8; // 2^(20 + 48) ns: more than a long can count
  private static final long TICK_NANOS = 1L << TICK_BITS;

  /// What is called when a timer fires.
  @FunctionalInterface
  interface Expiry {
    /// Must not throw.
    void fired(Timer timer);
  }

  private final Expiry expiry;
  private final @Nullable Timer[] slots = new Timer[LEVELS * SLOTS];
  private final long[] occupied = new long[LEVELS];
  private long reached; // tick: all timers up to it have fired
  private int size;

  TimerWheel(Expiry expiry) {
    this.expiry = expiry;
  }

  /// Lets a timer, wherever it was, stand where its deadline says, and nowhere when it is disarmed.
  void place(Timer timer) {
    if ((timer.leaves(Timer.WHEEL) & Timer.WHEEL) != 0) {
      unlink(timer);
    }
    while (true) {
      long deadline = timer.deadline(); // after WHEEL was taken back, or set: Timer, I1
      if (!Timer.isTime(deadline)) {
        return;
      }
      if (tickOf(deadline) <= reached) {
        if (timer.casDeadline(deadline, Timer.FIRED)) {
          expiry.fired(timer);
          return;
        }
        continue;
      }
      link(timer, deadline);
      timer.enters(Timer.WHEEL);
      if (timer.deadline() == deadline) {
        return;
      }
      timer.leaves(Timer.WHEEL);
      unlink(timer);
    }
  }

  /// Lets time pass: fires what is due.
  ///
  /// @param now nanoseconds; when it is earlier than before, nothing happens
  void advance(long now) {
    long to = now >> TICK_BITS;
    for (long next = nextTick(); next <= to; next = nextTick()) {
      int slot = nextSlot();
      reached = next;
      for (Timer timer = slots[slot]; timer != null; timer = slots[slot]) {
        place(timer);
      }
    }
    reached = Math.max(reached, to);
  }

  /// When it has to be advanced next, in nanoseconds; the greatest number when it is empty.
  long nextNanos() {
    long next = nextTick();
    return next == Long.MAX_VALUE ? next : next << TICK_BITS;
  }

  /// How many timers stand in it; from another thread a value of some moment ago.
  int size() {
    return size;
  }

  private static long tickOf(long deadline) {
    return (deadline + TICK_NANOS - 1) >>> TICK_BITS; // safe: unsigned where the sum is too great
  }

  // ---- slots ----

  private long nextTick() {
    for (int level = 0; level < LEVELS; level++) {
      if (occupied[level] != 0) {
        int bits = level * LEVEL_BITS;
        long first = Long.numberOfTrailingZeros(occupied[level]);
        return (reached >>> (bits + LEVEL_BITS) << (bits + LEVEL_BITS)) | (first << bits);
      }
    }
    return Long.MAX_VALUE;
  }

  /// The slot of the next tick.
  private int nextSlot() {
    int level = 0;
    while (occupied[level] == 0) {
      level++;
    }
    return level * SLOTS + Long.numberOfTrailingZeros(occupied[level]);
  }

  private void link(Timer timer, long deadline) {
    long tick = tickOf(deadline);
    int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(tick ^ reached)) / LEVEL_BITS;
    int at = (int) (tick >>> (level * LEVEL_BITS)) & (SLOTS - 1);
    int slot = level * SLOTS + at;
    timer.due = deadline;
    timer.slot = slot;
    Timer first = slots[slot];
    if (first == null) {
      timer.next = timer;
      timer.previous = timer;
      slots[slot] = timer;
      occupied[level] |= 1L << at;
    } else { // behind the others: what is due in the same tick fires in the order of its arming
      Timer last = Objects.requireNonNull(first.previous);
      last.next = timer;
      timer.previous = last;
      timer.next = first;
      first.previous = timer;
    }
    size++;
  }

  private void unlink(Timer timer) {
    int slot = timer.slot;
    Timer after = Objects.requireNonNull(timer.next);
    if (after == timer) {
      slots[slot] = null;
      occupied[slot / SLOTS] &= ~(1L << (slot % SLOTS));
    } else {
      Timer before = Objects.requireNonNull(timer.previous);
      before.next = after;
      after.previous = before;
      if (slots[slot] == timer) {
        slots[slot] = after;
      }
    }
    timer.next = null;
    timer.previous = null;
    size--;
  }
}
