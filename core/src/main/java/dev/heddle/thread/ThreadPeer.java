// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A thread that waits: it spins for a moment, since the other side is often about to come, and
/// then parks.
final class ThreadPeer extends Peer {
  /*
   * Memory order. The serving thread writes what it gives, then `woken`, then unparks. The waiting
   * thread reads `woken`, and then what it was given. `woken` is volatile; with a plain one the
   * waiting thread may read what was there before, or spin for ever. [ThreadChannelStress]
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 64 : 0;

  private final Thread thread = Thread.currentThread();
  private final Object blocker; // for thread dumps

  // the serving thread writes, the waiting one reads
  private volatile boolean woken;

  ThreadPeer(Object blocker) {
    this.blocker = blocker;
  }

  @Override
  boolean wake() {
    woken = true;
    LockSupport.unpark(thread);
    return true;
  }

  @Override
  void await(Deadline deadline, @Nullable EventSource token) {
    int spins = thread.isVirtual() ? 0 : SPINS;
    while (spins-- > 0 && !woken) {
      Thread.onSpinWait();
    }
    while (!woken) {
      if (Thread.interrupted()) {
        throw new WaitCancelledException(
            "the wait for " + blocker + " ended: its thread was interrupted",
            new InterruptedException());
      }
      park(deadline);
    }
  }

  private void park(Deadline deadline) {
    if (deadline.isNever()) {
      LockSupport.park(blocker);
      return;
    }
    long left = deadline.nanoTime() - System.nanoTime();
    if (left <= 0) {
      throw new DeadlineException("the deadline expired during the wait for " + blocker, null);
    }
    LockSupport.parkNanos(blocker, left);
  }

  @Override
  boolean postpone(Throwable met) {
    if (met instanceof WaitCancelledException) {
      thread.interrupt();
    }
    return met instanceof WaitCancelledException || met instanceof DeadlineException;
  }
}
