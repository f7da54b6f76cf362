// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.instance.ProcessInstance;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All processes that live, by number.
final class ProcessTable {
  /*
   * Sixteen numbers that follow each other are a block of one worker's. They are in one shard,
   * side by side: so workers that start and end processes of their own meet neither at locks nor
   * in cache lines. The next sixteen are in a shard that lies apart; the rows of a shard lie apart
   * by multiples of the golden ratio. Slots are probed linearly; a hole is closed by moving back
   * what follows. A map of the JDK's would cost a boxed number and a node for each process.
   *
   * Rejected. Numbers as their own hash: they would stand in one row, and each removal would look
   * at all of it, to the end. Each number apart: a cache line for each start and each end.
   *
   * Threads. Any. A shard's lock is held while a few slots are read, some tens of nanoseconds;
   * where the shard grows or shrinks, and where all are listed, while each slot is read, in all
   * some nanoseconds for each start. New slots are made before the lock is taken: that may wait
   * for the collector, and may fail, which is to change nothing. A removal never fails for want of
   * smaller slots.
   */
  private static final int SHARDS = 64; // power of two
  private static final int SHARD_BITS = 6;
  private static final int SHARD_STEP = 27; // odd, so all have their turn; neighbours lie apart
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // 2^64 / the golden ratio, odd
  private static final int GROUP = 16; // slots: a line of the cache; power of two
  private static final int ROW_BITS = 4;
  private static final int FIRST_LENGTH = 4 * GROUP; // so that two rows fit

  private final Shard[] shards = new Shard[SHARDS];

  ProcessTable() {
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new Shard();
    }
  }

  /// Puts a process in.
  ///
  /// @return false when its number is taken
  boolean add(ProcessInstance process) {
    return shard(process.id()).add(process);
  }

  /// The process of a number, or null.
  @Nullable ProcessInstance find(long id) {
    return shard(id).find(id);
  }

  /// Takes a process out.
  void remove(ProcessInstance process) {
    shard(process.id()).remove(process.id());
  }

  /// All of them, as of some moment for each.
  List<ProcessInstance> all() {
    List<ProcessInstance> all = new ArrayList<>(size()); // so that it hardly grows under a lock
    for (Shard shard : shards) {
      shard.addTo(all);
    }
    return all;
  }

  /// How many there are, as of some moment for each shard. Once nobody adds any more, 0 means none.
  int size() {
    int size = 0;
    for (Shard shard : shards) {
      size += shard.size;
    }
    return size;
  }

  /// The most slots side by side that are taken, which is what a removal may have to look at.
  int longestRow() {
    int longest = 0;
    for (Shard shard : shards) {
      longest = Math.max(longest, shard.longestRow());
    }
    return longest;
  }

  private Shard shard(long id) {
    return shards[(int) (id >>> ROW_BITS) * SHARD_STEP & (SHARDS - 1)];
  }

  private static final class Shard {
    private final SpinLock lock = new SpinLock();

    // under the lock
    private @Nullable ProcessInstance[] slots = new ProcessInstance[FIRST_LENGTH];

    private int count;

    // `count`, for those without the lock
    private volatile int size;

    boolean add(ProcessInstance process) {
      while (true) {
        int length;
        lock.lock();
        try {
          length = fitting();
          if (length <= slots.length) {
            return put(process);
          }
        } finally {
          lock.unlock();
        }
        resize(new ProcessInstance[length]);
      }
    }

    private boolean put(ProcessInstance process) {
      int slot = slotOf(process.id());
      if (slots[slot] != null) {
        return false;
      }
      slots[slot] = process;
      size = ++count;
      return true;
    }

    @Nullable ProcessInstance find(long id) {
      lock.lock();
      try {
        return slots[slotOf(id)];
      } finally {
        lock.unlock();
      }
    }

    void remove(long id) {
      int length;
      lock.lock();
      try {
        int slot = slotOf(id);
        if (slots[slot] != null) {
          close(slot);
          size = --count;
        }
        length = fitting();
        if (length >= slots.length) {
          return;
        }
      } finally {
        lock.unlock();
      }
      shrink(length);
    }

    private void shrink(int length) {
      try {
        resize(new ProcessInstance[length]);
      } catch (OutOfMemoryError _) {
        // safe: the larger ones do as well, and the next removal tries again
      }
    }

    void addTo(List<ProcessInstance> all) {
      lock.lock();
      try {
        for (ProcessInstance process : slots) {
          if (process != null) {
            all.add(process);
          }
        }
      } finally {
        lock.unlock();
      }
    }

    int longestRow() {
      lock.lock();
      try {
        int longest = 0;
        int row = 0;
        for (ProcessInstance process : slots) {
          row = process == null ? 0 : row + 1;
          longest = Math.max(longest, row);
        }
        return longest;
      } finally {
        lock.unlock();
      }
    }

    /// Where a number is, or would be.
    private int slotOf(long id) {
      int slot = home(id);
      for (ProcessInstance there; (there = slots[slot]) != null && there.id() != id; ) {
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }

    private int home(long id) {
      long row = ((id >>> (ROW_BITS + SHARD_BITS)) * GOLDEN) >>> Integer.SIZE;
      return (int) ((row << ROW_BITS) | (id & (GROUP - 1))) & (slots.length - 1);
    }

    /// Empties a slot, and moves back what would not be found behind the hole.
    private void close(int hole) {
      slots[hole] = null;
      int mask = slots.length - 1;
      for (int i = (hole + 1) & mask; ; i = (i + 1) & mask) {
        ProcessInstance process = slots[i];
        if (process == null) {
          return;
        }
        if (((i - home(process.id())) & mask) >= ((i - hole) & mask)) {
          slots[hole] = process;
          slots[i] = null;
          hole = i;
        }
      }
    }

    /// How many slots there should be: twice as many at half full, half as many at an eighth.
    private int fitting() {
      if (count * 2 >= slots.length) {
        return slots.length * 2;
      }
      return slots.length > FIRST_LENGTH && count * 8 < slots.length
          ? slots.length / 2
          : slots.length;
    }

    /// Moves all to other slots, if there should still be so many.
    private void resize(@Nullable ProcessInstance[] others) {
      lock.lock();
      try {
        if (others.length == fitting()) {
          move(others);
        }
      } finally {
        lock.unlock();
      }
    }

    private void move(@Nullable ProcessInstance[] others) {
      @Nullable ProcessInstance[] old = slots;
      slots = others;
      for (ProcessInstance process : old) {
        if (process != null) {
          slots[slotOf(process.id())] = process;
        }
      }
    }
  }
}
