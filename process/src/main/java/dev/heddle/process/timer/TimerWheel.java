// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A hierarchical timing wheel: timers in the order of their deadlines, to a tick of 1.05 ms, and
/// never early. One thread only.
final class TimerWheel {
  /*
   * Eight levels of 64 slots. A slot of level 0 covers one tick, 2^20 ns; a slot of level n covers
   * as many ticks as the whole level n - 1. The level of a timer is the highest group of six bits
   * in which the tick of its deadline differs from the tick that the wheel has reached. So at each
   * level all timers are in slots after the one that the wheel has reached, and the first occupied
   * slot of the lowest occupied level is the next one. When the wheel reaches a slot of level 0,
   * its timers fire; timers of a higher level move to lower levels.
   *
   *   reached tick   0b000_001   tick of a deadline      0b000_111   level 0, slot 7
   *                              tick of a deadline   0b11_000_001   level 1, slot 3
   *
   * A timer is checked when its slot is reached, whatever its deadline is by then. If the deadline
   * has moved later, the timer moves to its new slot; if the timer was disarmed, it is dropped. So
   * an owner that waits again and again with a limit has one node, which moves once for each limit.
   *
   * I1. No timer fires early: the tick of a deadline is rounded up, the reached tick is rounded
   *     down. [TimerWheelTest]
   * I2. A timer in the wheel is checked before the wheel passes the tick of its `due`.
   *     [TimerWheelTest]
   * I3. A bit of `occupied` is set if and only if its slot has a timer; each timer knows its slot.
   *     [TimerWheelTest]
   * I4. A timer that is taken out of the reached slot does not return to it: it differs from the
   *     reached tick in a lower group, or belongs to another slot.
   *
   * Cost. O(1) to link, to unlink, and for each level that a timer moves down: at most seven, two
   * for a minute. Nothing is allocated.
   *
   * Rejected. A heap: log n for each operation, and a disarmed timer stays until it is at the top,
   * or costs log n too. A wheel for each worker: a parked worker cannot advance it, and a thief
   * would have to. Exact order: no user of timers can tell one millisecond of delay from another.
   *
   * Sources. G. Varghese and T. Lauck, "Hashed and hierarchical timing wheels", 1987; Tokio's
   * wheel, which chooses levels in this way; decision 0035.
   */
  static final int TICK_BITS = 20; // a tick of 1.05 ms: half the resolution that callers expect
  private static final int LEVEL_BITS = 6;
  private static final int SLOTS = 1 << LEVEL_BITS;
  private static final int LEVELS = 8; // 2^(20 + 48) ns: more than a long can count
  private static final long TICK_NANOS = 1L << TICK_BITS;

  private final Consumer<Timer> expiry; // must not throw
  private final @Nullable Timer[] slots = new Timer[LEVELS * SLOTS];
  private final long[] occupied = new long[LEVELS];
  private long reached; // tick: all timers up to it have fired
  private int size;

  TimerWheel(Consumer<Timer> expiry) {
    this.expiry = expiry;
  }

  /// Puts a timer into the slot of its deadline, wherever it was. Fires it if it is due; drops it
  /// if it is disarmed.
  void place(Timer timer) {
    if ((timer.leaves(Timer.WHEEL) & Timer.WHEEL) != 0) {
      unlink(timer);
    }
    while (true) {
      long deadline = timer.deadline(); // after WHEEL was cleared or set: Timer, I1
      if (!Timer.isTime(deadline)) {
        return;
      }
      if (tickOf(deadline) <= reached) {
        if (timer.casDeadline(deadline, Timer.FIRED)) {
          expiry.accept(timer);
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

  /// Advances the wheel, and fires the timers that are due.
  ///
  /// @param now nanoseconds; a time before the reached tick does nothing
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

  /// The time of the next advance, in nanoseconds; [Long#MAX_VALUE] when it is empty.
  long nextNanos() {
    long next = nextTick();
    return next == Long.MAX_VALUE ? next : next << TICK_BITS;
  }

  /// The number of timers in it; for other threads as of a moment ago.
  int size() {
    return size;
  }

  private static long tickOf(long deadline) {
    return (deadline + TICK_NANOS - 1) >>> TICK_BITS; // safe: unsigned, if the sum overflows
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
    } else { // appended: timers of one tick fire in the order in which they were armed
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
