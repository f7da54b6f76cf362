// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.concurrent.atomic.AtomicLong;

/// The deque with one access weakened: what the proofs must catch. Eight slots, positions from 0.
final class WeakDeque {
  enum Fault {
    /// the owner pops without a CAS
    NAIVE_CAS,
    /// the owner pops far from the thieves without a fence
    NO_FENCE,
    /// a thief clears the slots that it has taken from
    THIEF_TIDIES,
    /// the owner takes the oldest by a store
    OLDEST_BY_STORE
  }

  private final Fault fault;
  private final int reach;
  private final AtomicLong top = new AtomicLong(); // index, and version above it
  private volatile int bottom;
  private int ownBottom;
  private final Integer[] slots = new Integer[8];

  WeakDeque(Fault fault, int reach) {
    this.fault = fault;
    this.reach = reach;
  }

  void push(int item) {
    slots[ownBottom & 7] = item;
    setBottomRelease(++ownBottom);
  }

  boolean isFull() {
    return ownBottom - (int) top.get() == slots.length;
  }

  Integer pop() {
    int p = ownBottom - 1;
    if (p < (int) top.getAcquire()) {
      return null;
    }
    ownBottom = p;
    if (fault == Fault.NAIVE_CAS) {
      bottom = p;
      if (p > (int) top.get()) {
        return slots[p & 7];
      }
    } else {
      setBottomRelease(p);
      if (p - (int) top.getAcquire() >= reach) {
        return slots[p & 7];
      }
    }
    while (true) {
      long seen = top.get();
      if (p < (int) seen) {
        ownBottom = (int) seen;
        setBottomRelease(ownBottom);
        return null;
      }
      if (top.compareAndSet(seen, seen + (1L << 32))) {
        return slots[p & 7];
      }
    }
  }

  Integer pollOldest() {
    while (true) {
      long seen = top.get();
      int from = (int) seen;
      if (ownBottom - from <= 0) {
        return null;
      }
      if (fault == Fault.OLDEST_BY_STORE) {
        top.set(seen + 1 + (1L << 32));
        return slots[from & 7];
      }
      if (top.compareAndSet(seen, seen + 1 + (1L << 32))) {
        return slots[from & 7];
      }
    }
  }

  /// Takes the older half; each item is counted.
  void steal(Taken taken) {
    long seen = top.get();
    int from = (int) seen;
    int size = bottom - from;
    if (size <= 0) {
      return;
    }
    int n = Math.min(Math.max(1, size / 2), reach);
    Integer first = slots[from & 7];
    Integer second = slots[(from + 1) & 7];
    if (top.compareAndSet(seen, seen + n + (1L << 32))) {
      taken.count(first);
      if (fault == Fault.THIEF_TIDIES) {
        slots[from & 7] = null;
      }
      if (n == 2) {
        taken.count(second);
      }
    }
  }

  private void setBottomRelease(int value) {
    BOTTOM.setRelease(this, value);
  }

  private static final java.lang.invoke.VarHandle BOTTOM;

  static {
    try {
      BOTTOM =
          java.lang.invoke.MethodHandles.lookup()
              .findVarHandle(WeakDeque.class, "bottom", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
