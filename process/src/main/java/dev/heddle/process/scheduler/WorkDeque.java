// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A deque of one worker: the owner pushes and pops at one end, thieves take half from the other.
public final class WorkDeque<T> {
  /*
   * Chase and Lev's deque, in which a thief takes up to MAX_STEAL items with one CAS.
   *
   *        index                    bottom
   *          |  oldest ... newest     |
   *   --+----+----+----+----+----+----+----+--   positions are 32 bits and wrap; a slot is position
   *                                              & (length - 1)
   *          ^ thieves            ^ owner
   *
   * `top` packs the index of the oldest item with a version. Everything that could have been read
   * in vain changes it.
   *
   *   who     event                     top                   bottom
   *   owner   push                      -                     + 1, release, after the slot
   *   owner   pop, far from the thieves -                     - 1, then a full fence, then top is
   *                                                           read again
   *   owner   pop, near the thieves     version + 1 by CAS    - 1, before the CAS
   *   thief   steal of n                index + n,            -
   *                                     version + 1 by CAS
   *   owner   grow                      -                     -   (the new array is published by
   *                                                               release; the old one is not
   *                                                               written again)
   *   owner   grow, without memory      -                     -   (nothing has changed: the push is
   *                                                               refused)
   *
   * Threads. push, pop, pollOldest, stealInto's receiver side, tidy: the owner. stealInto and
   * size: any.
   *
   * I1. Every item pushed is taken once, or is still in the deque. [WorkDequeTest,
   *     WorkDequeStress, WorkDequeLincheckTest]
   * I2. A thief takes n <= MAX_STEAL items, from the index on. So a position p >= index +
   *     MAX_STEAL is out of reach of every thief whose CAS can still succeed.
   * I3. The owner takes position p without a CAS only after it has published bottom = p and then
   *     seen p >= index + MAX_STEAL.
   *
   * Why the fence is enough far away (I3). A thief reads top, then bottom. If its top is the one
   * that the owner saw, I2 keeps it off p, whatever bottom it read. If its top is a later one,
   * that top was written after the owner's look at it; the fence puts the owner's write of bottom
   * before that look, so the thief, reading bottom after top, sees bottom <= p. Mutant:
   * WorkDequeStress.NoFence.
   *
   * Why the CAS is enough near. The owner writes bottom, then changes the version. A thief that
   * read top before fails its own CAS; one that reads it later acquires what the owner released
   * with it, bottom <= p. So nobody but the owner can have p. Mutant: WorkDequeStress.NaiveCas,
   * where the owner pops without it: four pushes, three pops and one steal take an item twice.
   *
   * What a thief copies may be overwritten meanwhile. A slot in its range changes only after the
   * index has passed it, or after the owner has popped it near the thieves; either has changed
   * top, and the thief's CAS fails. The array is read after top: a thief with an old array holds
   * an old top, or slots that have not changed.
   *
   * Leftovers. The owner nulls what it pops. What thieves took stays in its slot until it is
   * overwritten or the owner, when it runs out of work, tidies: a thief must not write there,
   * since the owner may have put a new item in the slot (mutant: WorkDequeStress.ThiefTidies). An
   * array that a burst has made long is given up then, if the deque is empty: a thief that has it,
   * or the new one with an old range, holds an old top, since the last item left by a CAS on it.
   * [WorkDequeStress.RealTidies]
   *
   * Want of memory. Growth is all that allocates, and it comes before the first write: a push that
   * finds no memory is refused, a thief without room takes one item only, which it does not put
   * down, and tidying keeps the long array. After a refused growth the owner does not try again
   * before a push has found room: each try would have the collector look at the whole heap.
   * [WorkDequeTest, OutOfMemoryTest]
   *
   * Cost. push: a release store. pop: one CAS, or one fence in a deque of more than MAX_STEAL.
   * steal: one CAS for up to 32 items. The owner's pop is wait-free but for CASes lost to thieves,
   * each of which has taken something.
   *
   * Rejected. A version of 32 bits comes round after 4 billion near pops, while a thief stands
   * between its read and its CAS and the index is the same: accepted. One item per steal: a burst
   * of 64 tasks costs 32 searches. A lock for thieves: the owner would have to look at it.
   *
   * Sources. D. Chase, Y. Lev, Dynamic circular work-stealing deque, 2005; N. M. Le et al.,
   * Correct and efficient work-stealing for weak memory models, 2013. P3, P5.
   */

  /// The most that one steal takes.
  public static final int MAX_STEAL =
      32; // half of 64: what a burst of spawns leaves; more lengthens the copy

  private static final int FIRST_LENGTH = 64; // slots; a power of two, above MAX_STEAL
  private static final int KEPT_LENGTH =
      1_024; // slots; tidied in less time than falling asleep takes
  private static final VarHandle TOP;
  private static final VarHandle BOTTOM;
  private static final VarHandle SLOTS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOP = lookup.findVarHandle(WorkDeque.class, "top", long.class);
      BOTTOM = lookup.findVarHandle(WorkDeque.class, "bottom", int.class);
      SLOTS = lookup.findVarHandle(WorkDeque.class, "slots", Object[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int maxSteal; // MAX_STEAL, but where a test shrinks it
  private final int keptLength; // KEPT_LENGTH, but where a test shrinks it

  // owner and thieves, CAS; index in the lower half, version in the upper
  @SuppressWarnings("unused") // through TOP
  private long top;

  // the owner writes, thieves read
  private int bottom;
  private @Nullable Object[] slots;

  // the owner: it could not grow, and nothing has found room since
  private boolean growFailed;

  /// An empty deque.
  public WorkDeque() {
    this(FIRST_LENGTH, 0, MAX_STEAL);
  }

  /// A deque whose first array has `length` slots, a power of two, whose positions begin at
  /// `start`, and from which one steal takes up to `maxSteal`: small arrays, positions about to
  /// wrap, and a short reach are what proofs want.
  WorkDeque(int length, int start, int reach) {
    this(length, start, reach, KEPT_LENGTH);
  }

  /// The same, whose array is given up when it is longer than `keptLength` and nothing is in it.
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

  /// Puts an item at the owner's end.
  ///
  /// @return false when the deque is full, and there is no memory for a longer one
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

  /// Takes the oldest item, as a thief would, or null when there is none.
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

  /// Forgets what thieves have taken, and how long the deque once was. For an owner with nothing to
  /// do: it goes over all slots.
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

  /// Takes the older half, at least one item and at most [#MAX_STEAL], and puts all but the oldest
  /// into the thief's own deque, oldest first.
  ///
  /// @param mine the deque of which the caller is the owner
  /// @return the oldest item, or null when there was none, or another took it meanwhile
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
      return null; // what was copied lies above the bottom, where nobody looks
    }
    mine.publishBottomRelease(to + n - 1);
    return item(oldest);
  }

  /// How many items there are; exact for the owner while no thief is about.
  public int size() {
    long seen = topVolatile();
    return Math.max(0, bottomVolatile() - index(seen));
  }

  /// How many items fit before it grows. The owner.
  int slots() {
    return slots.length;
  }

  // ---- internals ----

  /// Makes room for so many more items. The owner.
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
