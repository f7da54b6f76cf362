// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.instance.ProcessInstance;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All processes that are alive, by number.
final class ProcessTable {
  /*
   * A worker takes numbers in blocks of sixteen. A block is in one shard, side by side: so workers
   * that start and end their own processes contend neither for locks nor for cache lines. The next
   * block is in a distant shard. Within a shard, the rows of blocks are spread by multiples of the
   * golden ratio. Slots are probed linearly; a removal closes its hole by moving back the entries
   * after it. A JDK map would cost a boxed number and a node for each process.
   *
   * Rejected. Numbers as their own hash: all entries would form one row, and each removal would
   * scan it to the end. Spreading single numbers: a cache line for each start and each end.
   *
   * Threads. Any. A shard's lock is held while a few slots are read, some tens of nanoseconds. A
   * resize and a listing hold it while they read all slots, in sum some nanoseconds for each start.
   * New arrays are allocated before the lock is taken: an allocation may wait for the collector,
   * and may fail, which must change nothing. A removal never fails because a smaller array cannot
   * be allocated.
   */
  private static final int SHARDS = 64; // power of two
  private static final int SHARD_BITS = 6;
  private static final int SHARD_STEP = 27; // odd, so all shards are used; neighbours are far apart
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L; // 2^64 / the golden ratio, odd
  private static final int GROUP = 16; // slots: a cache line; power of two
  private static final int ROW_BITS = 4;
  private static final int FIRST_LENGTH = 4 * GROUP; // so that two rows fit

  private final Shard[] shards = new Shard[SHARDS];

  ProcessTable() {
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new Shard();
    }
  }

  /// Adds a process.
  ///
  /// @return false when its number is taken
  boolean add(ProcessInstance process) {
    return shard(process.id()).add(process);
  }

  @Nullable ProcessInstance find(long id) {
    return shard(id).find(id);
  }

  void remove(ProcessInstance process) {
    shard(process.id()).remove(process.id());
  }

  /// The number of parts in which [#part] lists them.
  static int parts() {
    return SHARDS;
  }

  List<ProcessInstance> part(int number) {
    Shard shard = shards[number];
    List<ProcessInstance> part = new ArrayList<>(shard.size);
    shard.addTo(part);
    return part;
  }

  List<ProcessInstance> all() {
    List<ProcessInstance> all = new ArrayList<>(size()); // so that it rarely grows under a lock
    for (Shard shard : shards) {
      shard.addTo(all);
    }
    return all;
  }

  /// How many there are, as of some moment for each shard. Once no thread adds any more, 0 means
  /// none.
  int size() {
    int size = 0;
    for (Shard shard : shards) {
      size += shard.size;
    }
    return size;
  }

  /// The longest run of occupied slots: the most that a removal may have to scan.
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

    // `count`, for reads without the lock
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
        // safe: the larger array works too, and the next removal tries again
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

    /// The slot of a number, or the free one for it.
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

    /// Empties a slot, and moves back the entries that would not be found behind the hole.
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

    /// The right number of slots: doubled when half full, halved below an eighth.
    private int fitting() {
      if (count * 2 >= slots.length) {
        return slots.length * 2;
      }
      return slots.length > FIRST_LENGTH && count * 8 < slots.length
          ? slots.length / 2
          : slots.length;
    }

    /// Moves all entries to another array, if its size still fits.
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
