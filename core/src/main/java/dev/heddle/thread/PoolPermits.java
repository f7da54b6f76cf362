// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import dev.heddle.scheduler.Waker;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The permits of a pool: one for each task that its present workers run or have queued.
///
/// **Thread** the loop's. **Order** first come, first served, also across a renewal. **Cost**
/// without contention: no switch, no allocation.
final class PoolPermits {
  /*
   * States of a permit.
   *   from     event                          to              who
   *   FREE     tryAcquire()                   TAKEN           the submitter
   *   TAKEN    release(), a coroutine waits   GRANTED         the oldest waiter
   *   TAKEN    release(), none waits          FREE            the end of the task
   *   GRANTED  the waiter continues           TAKEN           the waiter
   *   GRANTED  the waiter leaves (cancelled,  GRANTED, FREE   the next waiter, or none: release()
   *            deadline, token)
   *   TAKEN    renew()                        void            no one: its task releases nothing
   *
   * When the pool is closed, each waiter is granted a permit of its own, with which it submits
   * nothing: it sees that the pool is closed. From then on the number means nothing.
   *
   * A renewal is for new workers. The tasks of the old ones keep their workers, and need no permit
   * any more. But a permit that was granted to a waiter that has not continued yet is one for the
   * new workers, since the waiter has submitted nothing so far. So `granted` of the new permits are
   * gone from the start. If that is more than there are, `free` is negative until tasks have ended.
   *
   * I1. While a coroutine waits, no permit is free. [PoolPermitsModelTest]
   * I2. Permits are granted in the order of arrival. [PoolPermitsModelTest]
   * I3. Of the permits since the last renewal, no more than their number are taken or granted,
   *     unless more were granted before it. [PoolPermitsModelTest]
   *
   * Rejected. A semaphore for each set of workers: the coroutines that wait for the old one would
   * have to queue again, behind others that came later.
   *
   * Sources. trap-1, trap-2, trap-3, trap-25.
   */
  private final Scheduler home;
  private final WaitQueue waiters;

  // loop only
  private int free;
  private int granted; // to waiters that have not continued

  /// Permits that are all free.
  ///
  /// @param info what the waiters wait for, in one line
  PoolPermits(Scheduler home, int number, Supplier<String> info) {
    this.home = home;
    this.free = number;
    this.waiters = new Waiters(info);
  }

  int waiting() {
    return waiters.size();
  }

  boolean tryAcquire() {
    if (free <= 0) {
      return false;
    }
    free--;
    return true;
  }

  /// Waits for a permit, after [#tryAcquire()] has found none. **Suspends.**
  ///
  /// @param token another event that ends the wait; null: none
  void acquire(Waker self, Deadline deadline, @Nullable EventSource token) {
    Waiter waiter = new Waiter(waiters, home, null);
    try {
      waiters.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(waiter);
      throw e;
    }
    granted--;
  }

  private void leave(Waiter waiter) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    if (waiter.isServed()) {
      granted--;
      release();
    } else {
      waiters.remove(waiter);
    }
  }

  /// Gives a permit back. **Suspends** never.
  void release() {
    if (home.hasEnded()) {
      return; // as above
    }
    free++;
    grant();
  }

  /// Makes `number` permits free, whatever was taken before.
  void renew(int number) {
    free = number - granted;
    grant();
  }

  /// Grants each waiter a permit beyond the others: the pool is closed, and refuses them itself.
  void grantAll() {
    free = Math.max(0, free) + waiters.size();
    grant();
  }

  private void grant() {
    while (free > 0) {
      Waiter next = waiters.poll();
      if (next == null) {
        return;
      }
      free--;
      granted++;
      next.serve(null, 0);
    }
  }

  private static final class Waiters extends WaitQueue {
    private final Supplier<String> info;

    Waiters(Supplier<String> info) {
      this.info = info;
    }

    // a task that no coroutine awaits also releases its permit, so waits for a permit are waits for
    // the outside world
    @Override
    protected boolean servedOnLoop() {
      return false;
    }

    @Override
    protected String info() {
      return info.get();
    }
  }
}
