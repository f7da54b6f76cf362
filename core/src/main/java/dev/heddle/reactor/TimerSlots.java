// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The slots of a timer wheel: timers in the order of their arrival, added and removed in constant
/// time.
final class TimerSlots {
  /*
   * A slot is a ring of chunks, of which the slot knows the last. A timer knows its chunk's number
   * and its index there, in one `int`; it stays at its place until it leaves, so that the order of
   * arrival is the order of places. A timer that leaves leaves a hole. A chunk full of holes
   * leaves, too: its number is free for another one.
   *
   *   tails[slot] ──> last chunk ──next──> first chunk ──next──> ... ──> last chunk
   *   chunks[number]: each of them
   *
   * Nothing about a timer but its pointer is kept, so adding one is one write of a pointer. That
   * into an old array would cost a fence under G1, and the cleaning of a card; so chunks are not
   * pooled: a new one is young while it is filled.
   *
   * I1. chunks[at >> SHIFT].timers[at & MASK] is the timer that says `at`, and no other timer is
   *     there. [TimerSlotsTest]
   * I2. A slot that is not empty has a chunk with a timer; no chunk but the last is without.
   *     [TimerSlotsTest]
   * I3. least(slot) is exact or UNKNOWN. [TimerSlotsTest]
   *
   * Cost. At worst each chunk keeps one timer: 320 bytes for it in place of 6, beside the 64 of the
   * timer itself.
   *
   * Rejected. Filling a hole with the slot's last timer: it loses the order of arrival, which then
   * needs a number in each timer and a comparison of equal deadlines. Deadlines beside the timers:
   * one write and, for a cancel, one cache miss more; they are read only when their slot's time has
   * come, all at once, and then the misses overlap. Lists through the timers: each step of a walk
   * is a cache miss that waits for the one before.
   */
  static final long UNKNOWN =
      Long.MIN_VALUE; // no deadline is less: it stays until the slot is empty
  static final int NONE = -1;
  static final int SHIFT = 6; // of a place: up to 64 timers a chunk
  static final int MASK = (1 << SHIFT) - 1;
  private static final int FEW =
      8; // entries of a slot's first chunk: most slots hold one timer or two

  private final @Nullable Chunk[] tails;
  private final long[] least; // and one place for chunks that are in no slot
  private final int taken;

  private @Nullable Chunk[] chunks = new Chunk[16];
  private int[] numbers = new int[16]; // free ones, a stack
  private int free;
  private int used; // numbers given out so far, those that are free again included
  private @Nullable Chunk spare; // a first chunk

  TimerSlots(int count) {
    tails = new Chunk[count];
    least = new long[count + 1];
    taken = count;
  }

  /// Adds a timer to a slot.
  ///
  /// @return whether it is the first one there
  boolean add(TimerEvent timer, long deadline, int slot) {
    Chunk tail = tails[slot];
    boolean first = tail == null;
    if (tail == null || tail.isFull()) {
      tail = extend(slot, tail);
    }
    if (first || deadline < least[slot]) {
      least[slot] = deadline;
    }
    int index = tail.fill++;
    tail.live++;
    tail.timers[index] = timer;
    timer.at = tail.number << SHIFT | index;
    return first;
  }

  /// Removes a timer, also one whose chunk has been taken.
  ///
  /// @return the slot that is empty now, or [#NONE]
  @SuppressWarnings("NullAway") // a timer's chunk is there
  int remove(TimerEvent timer) {
    int at = timer.at;
    Chunk chunk = chunks[at >> SHIFT];
    chunk.timers[at & MASK] = null;
    if (timer.deadline == least[chunk.slot]) {
      least[chunk.slot] = UNKNOWN;
    }
    return --chunk.live == 0 ? leave(chunk) : NONE;
  }

  /// The least deadline of a slot that is not empty, or [#UNKNOWN] after its timer was removed.
  long least(int slot) {
    return least[slot];
  }

  /// Takes all chunks out of a slot that is not empty; they are linked by `next`, in order. Their
  /// timers can still be removed, until the caller that took them has [#release]d each.
  @SuppressWarnings("NullAway") // it has a chunk
  Chunk take(int slot) {
    Chunk tail = tails[slot];
    Chunk first = tail.next;
    tails[slot] = null;
    tail.next = null;
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      chunk.slot = taken;
    }
    return first;
  }

  /// Forgets a chunk that was taken.
  void release(Chunk chunk) {
    chunks[chunk.number] = null;
    if (free == numbers.length) {
      numbers = Arrays.copyOf(numbers, free * 2);
    }
    numbers[free++] = chunk.number;
  }

  /// Chunks with timers.
  int inUse() {
    return used - free;
  }

  // ---- chains ----

  @SuppressWarnings("NullAway") // a chunk of a slot has neighbours
  private Chunk extend(int slot, @Nullable Chunk tail) {
    Chunk chunk =
        tail == null && spare != null ? spare : new Chunk(tail == null ? FEW : 1 << SHIFT);
    if (chunk == spare) {
      spare = null;
      chunk.fill = 0;
    }
    chunk.slot = slot;
    chunk.number = number(chunk);
    if (tail == null) {
      chunk.previous = chunk;
      chunk.next = chunk;
    } else {
      chunk.previous = tail;
      chunk.next = tail.next;
      tail.next.previous = chunk;
      tail.next = chunk;
    }
    tails[slot] = chunk;
    return chunk;
  }

  private int number(Chunk chunk) {
    int number = free > 0 ? numbers[--free] : used++;
    if (number == chunks.length) {
      chunks = Arrays.copyOf(chunks, number * 2);
    }
    chunks[number] = chunk;
    return number;
  }

  // a chunk without timers: stays if it is the last and has room, unless the slot is empty
  @SuppressWarnings("NullAway") // a chunk of a slot has neighbours
  private int leave(Chunk chunk) {
    int slot = chunk.slot;
    if (slot == taken) {
      return NONE;
    }
    Chunk tail = tails[slot];
    if (chunk.next != chunk) {
      if (chunk == tail && !chunk.isFull()) {
        return NONE;
      }
      chunk.previous.next = chunk.next;
      chunk.next.previous = chunk.previous;
      if (chunk == tail) {
        tails[slot] = chunk.previous;
      }
      release(chunk);
      tail = tails[slot];
      if (tail.next != tail || tail.live > 0) {
        return NONE;
      }
    }
    tails[slot] = null;
    release(tail);
    if (tail.timers.length == FEW) {
      spare = tail;
    }
    return slot;
  }

  /// A piece of a slot. A place without a timer is a hole, or not yet filled.
  static final class Chunk {
    final @Nullable TimerEvent[] timers;
    private int number;
    private int slot;
    int fill; // places used, holes included
    private int live;
    @Nullable Chunk next;
    private @Nullable Chunk previous;

    private Chunk(int size) {
      timers = new TimerEvent[size];
    }

    private boolean isFull() {
      return fill == timers.length;
    }
  }
}
