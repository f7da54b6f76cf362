// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import static java.lang.invoke.MethodHandles.lookup;

import java.lang.invoke.VarHandle;

/// A lock for a few instructions, which threads share with coroutines and with fibers of processes.
///
/// **Thread** any. Not reentrant.
public final class SpinLock {
  /*
   * A JDK lock parks its waiters and wakes the first one. A parked coroutine or fiber needs its
   * carrier to continue. If the carrier is the next to want the lock, it waits behind the coroutine
   * that only it could run, forever. Therefore no waiter is parked here. A thread that waits long
   * yields its processor, since the holder may need it. A coroutine spins: yielding would enter its
   * scheduler half-way, or move it to another worker.
   *
   * The holder must call nothing that waits, and no foreign code.
   *
   * Memory order. Acquired by a CAS, released by a volatile store: there is one holder at a time,
   * and it sees what the last holder wrote. [SpinLockTest, SpinLockStress; mutant: TakesByStore]
   */
  private static final int SPINS = 100; // a section takes less
  private static final VarHandle HELD = VarHandles.find(lookup(), "held", boolean.class);

  private volatile boolean held;

  public void lock() {
    for (int spins = 1; !tryLock(); spins++) {
      if (spins % SPINS == 0 && !Thread.currentThread().isVirtual()) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  public boolean tryLock() {
    return !held && HELD.compareAndSet(this, false, true);
  }

  public void unlock() {
    held = false; // no call: it fits where the stack ends
  }
}
