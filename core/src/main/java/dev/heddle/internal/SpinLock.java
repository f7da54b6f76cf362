// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A lock for a few instructions, which threads share with coroutines and with bodies of processes.
///
/// **Thread** any. Not reentrant.
public final class SpinLock {
  /*
   * The JDK's locks park who waits for them, and wake whoever was first. A coroutine or a body that
   * was parked so needs its carrier to go on, and its carrier may be the next who wants the lock:
   * it waits behind the one that only it could run, for ever. So nobody is parked here. A thread
   * that waits long gives its processor away: the holder may need it. A coroutine spins: to yield
   * would bring it into the middle of its scheduler, or onto another worker.
   *
   * Whoever holds it calls nothing that waits, and nothing of others.
   *
   * Memory order. Taken by a CAS, given back by a volatile store: one holds it at a time, and sees
   * what the last holder wrote. [SpinLockTest, SpinLockStress; mutant: TakesByStore]
   */
  private static final int SPINS = 100; // a brief section takes less
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile boolean held;

  /// Waits until it is free, and takes it.
  public void lock() {
    for (int spins = 1; !tryLock(); spins++) {
      if (spins % SPINS == 0 && !Thread.currentThread().isVirtual()) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /// Takes it, if it is free.
  public boolean tryLock() {
    return !held && HELD.compareAndSet(this, false, true);
  }

  /// Gives it back. Its holder.
  public void unlock() {
    held = false; // no call: it fits where the stack ends
  }
}
