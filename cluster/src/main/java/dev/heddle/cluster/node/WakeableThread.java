// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// A platform thread that does some work whenever it is woken, and at times.
final class WakeableThread {
  /*
   * A wake between two looks costs one CAS at most, and one call of the system: `woken` says that
   * the thread will look again. It is cleared before the work, so what was there before a wake is
   * seen by the work that follows it. [ClusterNodeTest]
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.node");
  private static final long RETRY_NANOS = 100_000_000;

  private final LongSupplier work;
  private final Thread thread;
  private final AtomicBoolean woken = new AtomicBoolean(); // any thread, CAS
  private volatile boolean stopped;
  private volatile long sleepsUntil = Long.MAX_VALUE; // while it works: as if for ever

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition passed = lock.newCondition();

  /// @param work what to do; returns the time, of [System#nanoTime], when to do it again, or
  ///   [Long#MAX_VALUE] for when it is woken
  WakeableThread(String name, LongSupplier work) {
    this.work = work;
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /// Has the work done again. Any thread; never waits.
  void wake() {
    if (!woken.get() && woken.compareAndSet(false, true)) {
      LockSupport.unpark(thread);
    }
  }

  /// Has the work done again at a time, or before. Any thread; never waits.
  ///
  /// @param nanos time of [System#nanoTime]
  void wakeBy(long nanos) {
    long until = sleepsUntil;
    if (until == Long.MAX_VALUE || until - nanos > 0) {
      wake();
    }
  }

  /// Whether it waits for a wake or for the time of its next work.
  boolean isAsleep() {
    return LockSupport.getBlocker(thread) == this;
  }

  /// Ends the thread after its present work. Does not wait for it.
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  /// Waits until the work was done once more.
  ///
  /// @param end time, of [System#nanoTime], to give up at
  @SuppressWarnings("WaitNotInLoop") // the caller looks again, whatever has ended the wait
  void awaitPass(long end) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long nanos = end - System.nanoTime();
      if (nanos > 0 && !stopped) {
        long _ = passed.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (!stopped) {
      woken.set(false);
      sleepsUntil = Long.MAX_VALUE; // before it looks what is due: who changes that now wakes it
      long at = work();
      sleepsUntil = at;
      pass();
      if (!woken.get() && !stopped) {
        park(at);
      }
    }
  }

  /// A failure of the work ends neither the thread nor the node.
  private long work() {
    try {
      return work.getAsLong();
    } catch (Throwable t) {
      try {
        LOG.log(
            System.Logger.Level.ERROR, "the thread " + thread.getName() + " continues after", t);
      } catch (Throwable _) {
        // safe: there is no memory for the line; the work is done again
      }
      return System.nanoTime() + RETRY_NANOS;
    }
  }

  private void pass() {
    lock.lock();
    try {
      passed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void park(long at) {
    if (at == Long.MAX_VALUE) {
      LockSupport.park(this);
    } else {
      long nanos = at - System.nanoTime();
      if (nanos > 0) {
        LockSupport.parkNanos(this, nanos);
      }
    }
  }
}
