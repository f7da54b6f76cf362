// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The slots of a timer wheel: timers in the order of their arrival, added and removed in constant
/// time.
final class TimerSlots {
  /*
   * A slot is a circular list of chunks, and refers to the last. A timer stores the number of its
   * chunk and its index there, in one `int`, and stays at that position until it is removed; so the
   * order of positions is the order of arrival. A removed timer leaves a hole. A chunk with holes
   * only is removed, too, and its number is free for another one.
   *
   *   tails[slot] ──> last chunk ──next──> first chunk ──next──> ... ──> last chunk
   *   chunks[number]: each of them
   *
   * A slot keeps nothing of a timer but a pointer to it, so an addition is one write of a pointer.
   * In an old array that write would cost a fence under G1 and the cleaning of a card. So chunks
   * are not pooled: a new chunk is young while it is filled.
   *
   * I1. chunks[at >> SHIFT].timers[at & MASK] is the timer whose field `at` has that value, and no
   *     other timer is there. [TimerSlotsTest]
   * I2. A non-empty slot has a chunk with a timer, and only its last chunk may be without one.
   *     [TimerSlotsTest]
   * I3. least(slot) is exact or UNKNOWN. [TimerSlotsTest]
   *
   * Cost. At worst each chunk keeps one timer alone: 320 bytes for it instead of 6, besides the 64
   * of the timer itself.
   *
   * Rejected. Filling a hole with the slot's last timer: loses the order of arrival, which then
   * needs a number in each timer and a comparison for equal deadlines. Copies of the deadlines: one
   * more write and, for a cancel, one more cache miss; deadlines are only read when their slot is
   * reached, all at once, and then the misses overlap. Lists linked through the timers: each step
   * is a cache miss that waits for the one before.
   */
  static final long UNKNOWN = Long.MIN_VALUE; // stays until the slot is empty
  static final int NONE = -1;
  static final int SHIFT = 6; // of a position: up to 64 timers a chunk
  static final int MASK = (1 << SHIFT) - 1;
  private static final int FIRST_CHUNK = 8; // entries: most slots hold one or two

  private final @Nullable Chunk[] tails;
  private final long[] least; // by slot, and one entry for chunks that were taken out of theirs
  private final int taken;

  private @Nullable Chunk[] chunks = new Chunk[16];
  private int[] numbers = new int[16]; // free numbers, a stack
  private int free;
  private int used; // numbers used so far, including those that are free again
  private @Nullable Chunk cachedChunk; // a first chunk to be used again

  TimerSlots(int count) {
    tails = new Chunk[count];
    least = new long[count + 1];
    taken = count;
  }

  /// Adds a timer to a slot.
  ///
  /// @return whether it is the first timer there
  boolean add(TimerEntry timer, long deadline, int slot) {
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
  /// @return the slot if it is empty now, else [#NONE]
  @SuppressWarnings("NullAway") // the chunk of a timer exists
  int remove(TimerEntry timer) {
    int at = timer.at;
    Chunk chunk = chunks[at >> SHIFT];
    chunk.timers[at & MASK] = null;
    if (timer.deadline == least[chunk.slot]) {
      least[chunk.slot] = UNKNOWN;
    }
    return --chunk.live == 0 ? removeChunk(chunk) : NONE;
  }

  /// The least deadline of a non-empty slot, or [#UNKNOWN] after its timer was removed.
  long least(int slot) {
    return least[slot];
  }

  /// Takes all chunks out of a non-empty slot; they are linked by `next`, in order. Their timers
  /// can still be removed, until the caller [#release]s each chunk.
  @SuppressWarnings("NullAway") // the slot has a chunk
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

  /// Frees the number of a chunk that was taken.
  void release(Chunk chunk) {
    chunks[chunk.number] = null;
    if (free == numbers.length) {
      numbers = Arrays.copyOf(numbers, free * 2);
    }
    numbers[free++] = chunk.number;
  }

  int inUse() {
    return used - free;
  }

  // ---- chains ----

  @SuppressWarnings("NullAway") // a chunk of a slot has neighbours
  private Chunk extend(int slot, @Nullable Chunk tail) {
    Chunk chunk =
        tail == null && cachedChunk != null
            ? cachedChunk
            : new Chunk(tail == null ? FIRST_CHUNK : 1 << SHIFT);
    if (chunk == cachedChunk) {
      cachedChunk = null;
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
    if (free == 0 && used == chunks.length) {
      chunks = Arrays.copyOf(chunks, used * 2); // may fail, and then nothing has changed
    }
    int number = free > 0 ? numbers[--free] : used++;
    chunks[number] = chunk;
    return number;
  }

  // a chunk has lost its last timer: it stays if it is the slot's last, has space, and is not alone
  @SuppressWarnings("NullAway") // a chunk of a slot has neighbours
  private int removeChunk(Chunk chunk) {
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
    if (tail.timers.length == FIRST_CHUNK) {
      cachedChunk = tail;
    }
    return slot;
  }

  /// A part of a slot. A position without a timer is a hole, or not filled yet.
  static final class Chunk {
    final @Nullable TimerEntry[] timers;
    private int number;
    private int slot;
    int fill; // positions used, including holes
    private int live;
    @Nullable Chunk next;
    private @Nullable Chunk previous;

    private Chunk(int size) {
      timers = new TimerEntry[size];
    }

    private boolean isFull() {
      return fill == timers.length;
    }
  }
}
