// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A deque of one worker: the owner pushes and pops at one end, thieves take half from the other.
/// The owner may also take the oldest item from there.
public final class WorkDeque<T> extends CacheLinePadding {
  /*
   * The deque of Chase and Lev, with two differences: a thief takes up to MAX_STEAL items with one
   * CAS, and the owner may take the oldest item, by a CAS as a thief does (pollOldest).
   *
   *        index                    bottom
   *          |  oldest ... newest     |
   *   --+----+----+----+----+----+----+----+--   Positions are 32 bits and wrap; the slot of a
   *          ^ thieves            ^ owner        position is `position & (length - 1)`.
   *
   * `top` packs the index of the oldest item with a version. Every operation that may invalidate
   * what a thief has read changes `top`. A position is within reach of thieves if it is less than
   * index + MAX_STEAL.
   *
   * by     operation                     top                       bottom
   * owner  push                          -                         + 1, release, after the slot
   * owner  pop, out of reach of thieves  -                         - 1, full fence, re-read top
   * owner  pop, within their reach       version + 1, CAS          - 1, release, before the CAS
   * owner  pollOldest                    index + 1, version + 1,   -
   *                                      CAS
   * thief  stealInto of n items          index + n, version + 1,   -
   *                                      CAS
   * owner  grow, or clearStolen() of     -                         -
   *        a long array (1)
   * owner  grow without memory (2)       -                         -
   *
   * (1) Publishes the new array with a release store. The old array is not written again.
   * (2) Changes nothing: the push is refused.
   *
   * Threads. size(), stealInto(): any thread. Everything else, and the receiving deque of
   * stealInto(): the owner.
   *
   * Memory order.
   *   bottom  The owner's release store publishes the item, and the array that has its slot.
   *   top     A CAS is volatile. A thief's orders its reads of the slots before; the owner, which
   *           reads top with acquire, overwrites a slot after it has seen that CAS.
   *   thief   It reads top, then bottom, both volatile: so the order of all volatile accesses has
   *           them on one side of the owner's full fence. An acquire read has no place in that
   *           order. x86 makes no difference between the two, so no test here shows it.
   *   slots   A thief reads the array with acquire, after bottom: it has the items below that
   *           bottom. Items are read plainly; what a thief copies counts only after its CAS.
   *
   * I1. Each pushed item is taken exactly once, or is still in the deque. [WorkDequeTest,
   *     WorkDequeStress, WorkDequeLincheckTest]
   * I2. A thief takes n <= MAX_STEAL items, starting at the index that it read, and its CAS
   *     succeeds only on the top that it read. So no thief whose CAS can still succeed reaches a
   *     position p >= index + MAX_STEAL.
   * I3. The owner takes position p without a CAS only after it has published bottom = p and then
   *     read an index with p >= index + MAX_STEAL.
   *
   * Why a fence suffices out of reach (I3). A thief reads top, then bottom. If it read the same top
   * as the owner, I2 keeps it away from p, whatever bottom it read. If it read a later top, that
   * top was written after the owner's read. The fence orders the owner's write of bottom before
   * that read, so the thief, which reads bottom after top, sees bottom <= p, or a bottom released
   * by a later push at p, and then the new item. Mutant: WorkDequeStress.NoFence.
   *
   * Why a CAS suffices within reach. The owner writes bottom, then changes the version. A thief
   * that read top before this change fails its own CAS. A thief that reads top later acquires what
   * the owner released with it: it sees bottom <= p, or a bottom released by a later push at p, and
   * then the new item. So only the owner can take the item that it pops. Mutant:
   * WorkDequeStress.NaiveCas, in which the owner pops without that CAS: four pushes, three pops and
   * one steal take one item twice.
   *
   * A thief may copy a slot while it is overwritten. A slot within its range changes only after the
   * index has passed it, or after the owner has popped it within reach of thieves. Both change top,
   * so the thief's CAS fails and the copy is discarded. A thief reads the array after top and
   * bottom, so the array has a slot for each item below that bottom. A thief with the old array
   * either has an old top and fails, or reads slots whose items are the same in both arrays.
   *
   * Stolen items. The owner clears the slots that it pops. A stolen item stays in its slot until
   * the slot is overwritten, or until the owner runs out of work and calls clearStolen(). The thief
   * must not clear the slot: the owner may already have pushed a new item there (mutant:
   * WorkDequeStress.ThiefTidies). If the deque is empty then, clearStolen() also replaces an array
   * that a burst of tasks has made long. A thief that still has the old array, or has the new one
   * with an old range, has an old top, because the last item was taken with a CAS on top.
   * [WorkDequeStress.RealTidies]
   *
   * Stolen and moved. Between its CAS and the release of its own bottom, the items that a thief
   * moves are in no deque; it counts as searching until then (Parking, I4). A stolen task stays
   * READY: a wake-up finds it so and does nothing (Task).
   *
   * Out of memory. Growth and clearStolen() allocate, before their first write. A push that finds
   * no memory is refused. A thief whose own deque cannot grow takes one item, which it runs at
   * once, and clearStolen() keeps the long array. After growth was refused, the owner does not try
   * again until something has found room: each attempt would make the collector scan the whole
   * heap. [OutOfMemoryTest]
   *
   * Cost. push: a release store. pop: one CAS, or one fence when more than MAX_STEAL items are
   * left. stealInto: one CAS for up to 32 items. pop is wait-free except for CASes lost to thieves,
   * each of which has taken something.
   *
   * Accepted. The version wraps after 2^32 changes: pops within reach, steals and calls of
   * pollOldest() together. A thief that is descheduled between its read and its CAS for exactly
   * that many, with the index back at the same value, would not notice.
   *
   * Rejected. One item per steal: to take half of a burst of 64 tasks would cost 32 searches
   * instead of one. A lock for thieves: the owner would have to check it too.
   *
   * Sources. D. Chase, Y. Lev, Dynamic circular work-stealing deque, 2005; N. M. Le et al., Correct
   * and efficient work-stealing for weak memory models, 2013. P3, P5.
   */

  /// The most that one steal takes.
  public static final int MAX_STEAL =
      32; // half of a burst of 64 spawns; a larger value lengthens the copy

  private static final int FIRST_LENGTH = 64; // slots; a power of two, above MAX_STEAL
  private static final int KEPT_LENGTH = 1_024; // slots; cleared in less time than parking takes
  private static final VarHandle TOP = VarHandles.find(lookup(), "top", long.class);
  private static final VarHandle BOTTOM = VarHandles.find(lookup(), "bottom", int.class);
  private static final VarHandle SLOTS = VarHandles.find(lookup(), "slots", Object[].class);

  private final int maxSteal; // MAX_STEAL, unless a test sets less
  private final int keptLength; // KEPT_LENGTH, unless a test sets less

  // owner and thieves, CAS; index in the lower half, version in the upper
  @SuppressWarnings("unused") // through TOP
  private long top;

  // the owner writes, thieves read
  private int bottom;
  @Nullable Object[] slots;

  // the owner: growth was refused, and no push has found room since
  private boolean growFailed;

  public WorkDeque() {
    this(FIRST_LENGTH, 0, MAX_STEAL);
  }

  /// For tests: a deque whose first array has `length` slots, a power of two, whose positions begin
  /// at `start` (about to wrap, for instance), and from which one steal takes up to `reach` items.
  WorkDeque(int length, int start, int reach) {
    this(length, start, reach, KEPT_LENGTH);
  }

  /// The same; an empty deque replaces an array that is longer than `keptLength`.
  WorkDeque(int length, int start, int maxSteal, int keptLength) {
    if (Integer.bitCount(length) != 1) {
      throw new IllegalArgumentException("the length must be a power of two: " + length);
    }
    this.maxSteal = maxSteal;
    this.keptLength = keptLength;
    this.slots = new Object[length];
    this.top = pack(start, 0);
    this.bottom = start;
  }

  // ---- the owner's end ----

  /// Adds an item at the owner's end.
  ///
  /// @return false when the deque is full and there is no memory for a longer array
  public boolean push(T item) {
    int b = bottom;
    if (!reserve(1)) {
      return false;
    }
    @Nullable Object[] array = slots;
    array[b & (array.length - 1)] = item;
    publishBottomRelease(b + 1);
    return true;
  }

  /// Takes the newest item, or null when there is none.
  public @Nullable T pop() {
    int p = bottom - 1;
    if (p - index(topAcquire()) < 0) {
      return null;
    }
    if (p - index(topAcquire()) >= maxSteal) {
      bottom = p;
      VarHandle.fullFence();
      if (p - index(topAcquire()) >= maxSteal) {
        return take(p);
      }
    }
    return popNear(p);
  }

  private @Nullable T popNear(int p) {
    publishBottomRelease(p);
    while (true) {
      long seen = topAcquire();
      if (p - index(seen) < 0) {
        publishBottomRelease(index(seen)); // thieves have taken it: empty
        return null;
      }
      if (casTop(seen, pack(index(seen), version(seen) + 1))) {
        return take(p);
      }
    }
  }

  private T take(int p) {
    @Nullable Object[] array = slots;
    int slot = p & (array.length - 1);
    T item = item(array[slot]);
    array[slot] = null;
    return item;
  }

  /// Takes the oldest item, as a thief does, or null when there is none.
  public @Nullable T pollOldest() {
    while (true) {
      long seen = topAcquire();
      int from = index(seen);
      if (bottom - from <= 0) {
        return null;
      }
      if (casTop(seen, pack(from + 1, version(seen) + 1))) {
        return take(from);
      }
    }
  }

  /// Clears slots whose items thieves have taken, and shrinks an array that has grown long. For an
  /// owner without work: the call visits every slot.
  public void clearStolen() {
    @Nullable Object[] array = slots;
    int from = index(topAcquire());
    if (from == bottom && array.length > keptLength) {
      @Nullable Object[] shorter = allocate(FIRST_LENGTH);
      if (shorter != null) {
        publishSlotsRelease(shorter);
        return;
      }
    }
    for (int p = bottom; p != from + array.length; p++) {
      array[p & (array.length - 1)] = null;
    }
  }

  // ---- the thieves' end ----

  /// Takes the older half, at least one item and at most [#MAX_STEAL], and moves all but the oldest
  /// into the thief's own deque, oldest first.
  ///
  /// @param mine the deque that the caller owns
  /// @return the oldest item, or null when there was none, or another thread took it first
  public @Nullable T stealInto(WorkDeque<T> mine) {
    long seen = topVolatile();
    int from = index(seen);
    int size = bottomVolatile() - from;
    if (size <= 0) {
      return null;
    }
    int n = Math.min(Math.max(1, size / 2), maxSteal);
    if (!mine.reserve(n - 1)) {
      n = 1;
    }
    @Nullable Object[] theirs = slotsAcquire();
    @Nullable Object[] array = mine.slots;
    int to = mine.bottom;
    for (int i = 1; i < n; i++) {
      array[(to + i - 1) & (array.length - 1)] = theirs[(from + i) & (theirs.length - 1)];
    }
    Object oldest = theirs[from & (theirs.length - 1)];
    if (!casTop(seen, pack(from + n, version(seen) + 1))) {
      // The copies are above our bottom. A stalled thief of our deque may read there; its CAS
      // fails.
      return null;
    }
    mine.publishBottomRelease(to + n - 1);
    return item(oldest);
  }

  /// The number of items; exact for the owner while no thief is active.
  public int size() {
    long seen = topVolatile();
    return Math.max(0, bottomVolatile() - index(seen));
  }

  // ---- internals ----

  /// Makes room for `more` items. The owner.
  ///
  /// @return false when there is no memory for it
  boolean reserve(int more) {
    @Nullable Object[] array = slots;
    int from = index(topAcquire());
    if (bottom - from + more <= array.length) {
      growFailed = false;
      return true;
    }
    return !growFailed && grow(array, from, bottom - from + more);
  }

  private boolean grow(@Nullable Object[] array, int from, int items) {
    int length = array.length;
    while (length < items) {
      length *= 2;
    }
    @Nullable Object[] larger = allocate(length);
    if (larger == null) {
      growFailed = true;
      return false;
    }
    for (int p = from; p != bottom; p++) {
      larger[p & (length - 1)] = array[p & (array.length - 1)];
    }
    publishSlotsRelease(larger);
    return true;
  }

  private static @Nullable Object @Nullable [] allocate(int length) {
    try {
      return new Object[length];
    } catch (OutOfMemoryError _) {
      return null; // safe: nothing has changed yet
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // only items of this type are pushed, no null
  private T item(@Nullable Object slot) {
    assert slot != null : "an empty slot between index and bottom";
    return (T) slot;
  }

  private static int index(long top) {
    return (int) top;
  }

  private static int version(long top) {
    return (int) (top >>> Integer.SIZE);
  }

  private static long pack(int index, int version) {
    return ((long) version << Integer.SIZE) | (index & 0xFFFF_FFFFL);
  }

  private long topAcquire() {
    return (long) TOP.getAcquire(this);
  }

  private long topVolatile() {
    return (long) TOP.getVolatile(this);
  }

  private boolean casTop(long from, long to) {
    return TOP.compareAndSet(this, from, to);
  }

  private int bottomVolatile() {
    return (int) BOTTOM.getVolatile(this);
  }

  private void publishBottomRelease(int value) {
    BOTTOM.setRelease(this, value);
  }

  private @Nullable Object[] slotsAcquire() {
    return (Object[]) SLOTS.getAcquire(this);
  }

  private void publishSlotsRelease(@Nullable Object[] array) {
    SLOTS.setRelease(this, array);
  }
}
