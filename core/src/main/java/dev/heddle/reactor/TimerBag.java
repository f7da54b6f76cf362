// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Armed timers: in no order, or in that of a heap, by deadline and arming.
///
/// **Cost** Without order: constant, also to remove one. With order: the logarithm.
final class TimerBag {
  /*
   * An entry is a deadline and a timer, in two arrays side by side, so that comparing deadlines touches no timer. The timer
   * knows the index of its entry (`at`). The arrays come in chunks: growing copies a list of chunks, never the entries, and a
   * chunk that one bag is done with serves the next.
   *
   * A slot's bag has no order, and knows its least deadline until that one is removed. When it is asked for after that, the bag
   * becomes a heap, in place, and stays one until it is empty: seeking it anew each time would visit the whole slot for each
   * timer of those that are cancelled in the order of their deadlines.
   *
   * I1. timer(i).at == i, and indices are dense. [TimerBagTest]
   * I2. least() is exact. [TimerBagTest, against a list]
   * I3. An emptied bag holds one chunk at most, and no chunk of the pool holds a timer. [TimerBagTest]
   */
  private static final long UNKNOWN = Long.MIN_VALUE; // no deadline is less: it stays until sought
  private static final Chunk[] NONE = {};

  private final Chunks pool;
  private final boolean alwaysOrdered;

  private Chunk[] chunks = NONE;
  private int capacity;
  private int size;
  private boolean ordered;
  private long least; // unordered only
  private long visited;

  /// An empty bag; a heap from the beginning, or only when it must be.
  TimerBag(Chunks pool, boolean alwaysOrdered) {
    this.pool = pool;
    this.alwaysOrdered = alwaysOrdered;
    this.ordered = alwaysOrdered;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /// Entries looked at for the sake of order, so far.
  long visited() {
    return visited;
  }

  /// The least deadline; asked of a bag that is not empty.
  long least() {
    if (!ordered) {
      if (least != UNKNOWN) {
        return least;
      }
      order();
    }
    return deadline(0);
  }

  void add(TimerEvent timer, long deadline) {
    if (ordered) {
      siftUp(extend(), timer, deadline);
    } else {
      timer.at = append(timer, deadline);
    }
  }

  /// Adds a timer to a bag without order, and leaves it to the caller to tell the timer where.
  int append(TimerEvent timer, long deadline) {
    int at = extend();
    Chunk chunk = chunk(at);
    chunk.deadlines[at & Chunk.MASK] = deadline;
    chunk.timers[at & Chunk.MASK] = timer;
    if (at == 0 || deadline < least) {
      least = deadline;
    }
    return at;
  }

  private int extend() {
    if (size == capacity) {
      grow();
    }
    return size++;
  }

  @SuppressWarnings("NullAway") // no entry, never read
  void remove(int at) {
    int end = --size;
    long deadline = deadline(at);
    TimerEvent last = timer(end);
    chunk(end).timers[end & Chunk.MASK] = null;
    if (at != end) {
      if (ordered) {
        siftDown(at, last, deadline(end));
        siftUp(last.at, last, last.deadline);
      } else {
        put(at, last, deadline(end));
      }
    }
    if (end == 0) {
      ordered = alwaysOrdered;
    } else if (deadline == least) {
      least = UNKNOWN;
    }
    if (capacity - end >= 2 * Chunk.SIZE) {
      shrink(); // not at once: a size that swings around a bound would trade chunks all the time
    }
  }

  /// Takes the first out of an ordered bag that is not empty.
  TimerEvent poll() {
    TimerEvent first = timer(0);
    remove(0);
    return first;
  }

  /// Hands all timers back to the queue, in no order; the bag is empty then.
  @SuppressWarnings("NullAway") // every index below `size` has a timer, none above is read
  void spillInto(TimerQueue queue) {
    Chunk[] full = chunks;
    int left = size;
    chunks = NONE;
    capacity = 0;
    size = 0;
    ordered = alwaysOrdered;
    for (Chunk chunk : full) {
      if (chunk == null) {
        break;
      }
      int count = Math.min(left, Chunk.SIZE);
      queue.place(chunk, count);
      Arrays.fill(chunk.timers, 0, count, null);
      left -= count;
      pool.give(chunk);
    }
  }

  // ---- entries ----

  private Chunk chunk(int at) {
    return chunks[at >> Chunk.SHIFT];
  }

  private long deadline(int at) {
    return chunk(at).deadlines[at & Chunk.MASK];
  }

  private TimerEvent timer(int at) {
    return chunk(at).timers[at & Chunk.MASK];
  }

  private void put(int at, TimerEvent timer, long deadline) {
    Chunk chunk = chunk(at);
    chunk.deadlines[at & Chunk.MASK] = deadline;
    chunk.timers[at & Chunk.MASK] = timer;
    timer.at = at;
  }

  private void grow() {
    int count = capacity >> Chunk.SHIFT;
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(1, count * 2));
    }
    chunks[count] = pool.take();
    capacity += Chunk.SIZE;
  }

  @SuppressWarnings("NullAway") // beyond the capacity, never read
  private void shrink() {
    capacity -= Chunk.SIZE;
    int count = capacity >> Chunk.SHIFT;
    pool.give(chunks[count]);
    chunks[count] = null;
  }

  // ---- the heap: 4 children a node, half as many levels as with 2, and their deadlines share a
  // cache line ----

  private void order() {
    ordered = true;
    for (int at = (size - 2) >> 2; at >= 0; at--) {
      siftDown(at, timer(at), deadline(at));
    }
  }

  private void siftUp(int from, TimerEvent timer, long deadline) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) >> 2;
      visited++;
      if (!isEarlier(timer, deadline, parent)) {
        break;
      }
      put(at, timer(parent), deadline(parent));
      at = parent;
    }
    put(at, timer, deadline);
  }

  private void siftDown(int from, TimerEvent timer, long deadline) {
    int at = from;
    for (int child = (at << 2) + 1; child < size; child = (at << 2) + 1) {
      int least = child;
      for (int c = child + 1; c < Math.min(child + 4, size); c++) {
        if (isEarlier(timer(c), deadline(c), least)) {
          least = c;
        }
      }
      visited += 4;
      if (isEarlier(timer, deadline, least)) {
        break;
      }
      put(at, timer(least), deadline(least));
      at = least;
    }
    put(at, timer, deadline);
  }

  private boolean isEarlier(TimerEvent timer, long deadline, int than) {
    long other = deadline(than);
    return deadline < other || (deadline == other && timer.sequence < timer(than).sequence);
  }

  /// A piece of a bag: up to 64 entries.
  static final class Chunk {
    static final int SHIFT =
        6; // 8 cache lines of deadlines; a slot with one timer wastes 750 bytes
    static final int SIZE = 1 << SHIFT;
    static final int MASK = SIZE - 1;

    final long[] deadlines = new long[SIZE];
    final TimerEvent[] timers = new TimerEvent[SIZE];
    private @Nullable Chunk below; // in the pool
  }

  /// Chunks that no bag needs: as many as are in use, so that a load that comes again allocates
  /// nothing and one that has gone leaves nothing.
  static final class Chunks {
    private static final int KEPT = 64; // 52 KB, however few are in use

    private @Nullable Chunk top;
    private int free;
    private int used;

    Chunk take() {
      used++;
      Chunk chunk = top;
      if (chunk == null) {
        return new Chunk();
      }
      free--;
      top = chunk.below;
      chunk.below = null;
      return chunk;
    }

    void give(Chunk chunk) {
      used--;
      if (free < used + KEPT) {
        free++;
        chunk.below = top;
        top = chunk;
      } else if (top != null && free > used + KEPT) {
        free--;
        top = top.below;
      }
    }

    int free() {
      return free;
    }

    int used() {
      return used;
    }
  }
}
