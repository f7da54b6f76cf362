// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A fair semaphore: permits that the coroutines of one loop acquire and release, first come, first
/// served.
///
/// **Thread** the loop's. **Cost** without contention: no switch, no allocation.
public class FairSemaphore {
  /*
   * States of a permit.
   *   from   event                               to             who
   *   FREE   acquire(), tryAcquire()             TAKEN          the caller
   *   TAKEN  release(), a coroutine waits        TAKEN          the oldest waiter, when the call
   *                                                             returns
   *   TAKEN  release(), no coroutine waits       FREE           the caller
   *   TAKEN  its new holder leaves before it     TAKEN or FREE  the new holder, as by release()
   *          has run (cancelled, deadline, token)
   *
   * Hand-over. A wake-up only queues a coroutine; others run before it. So release() itself passes
   * the permit to the waiter. If it only freed the permit, the next coroutine to run would take it,
   * most often the one that has just released it, and the woken waiter would find none, again and
   * again. WaitQueue describes the waiters.
   *
   * Threads. The loop's.
   *
   * I1. While a coroutine waits, no permit is free. [MutexModelTest]
   * I2. Permits are handed out in the order of arrival. [MutexModelTest]
   * I3. A coroutine for which acquire() throws holds no permit. [MutexModelTest]
   *
   * Cost. A hand-over: one switch, and no poll of the reactor.
   *
   * Rejected. A hand-over when the new holder runs: every other method would have to check for a
   * second state (reserved).
   *
   * Sources. trap-1, trap-2, trap-3, trap-7.
   */
  private final Scheduler home;
  private final Object what;

  // loop only
  private final WaitQueue waiters = new Waiters();
  private int free;

  /// A semaphore whose permits are all free.
  ///
  /// @param what the permits' purpose, for reports
  public FairSemaphore(Scheduler home, int number, Object what) {
    this.home = home;
    this.free = number;
    this.what = what;
  }

  // ---- for subclasses ----

  /// A released permit was handed to a coroutine that has not run since; null: the permit is free.
  protected void onReleased(@Nullable Waker next) {}

  /// What the waiters wait for, in one line.
  protected String info() {
    return "its turn with " + what;
  }

  /// Whether only coroutines of the loop release the permits; else other threads may, and waits
  /// count as waits for the outside world.
  protected boolean releasedOnLoop() {
    return true;
  }

  /// The coroutines that must act before a permit can be released, as far as is known.
  protected Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  // ---- acquiring and releasing ----

  /// The number of waiters.
  public final int waiting() {
    return waiters.size();
  }

  /// The number of free permits.
  public final int free() {
    return free;
  }

  /// Takes a permit if one is free.
  public final boolean tryAcquire() {
    if (free == 0) {
      return false;
    }
    free--;
    return true;
  }

  /// Takes a permit for the coroutine `self`. **Suspends** while none is free.
  public final void acquire(Waker self) {
    if (!tryAcquire()) {
      awaitPermit(self, Deadline.never(), null);
    }
  }

  /// Waits until a permit is handed over, after [#tryAcquire()] has found none.
  ///
  /// @param token another event that ends the wait; null: none
  public final void awaitPermit(Waker self, Deadline deadline, @Nullable EventSource token) {
    Waiter waiter = waiter(self);
    try {
      waiters.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(waiter);
      throw e;
    }
  }

  /// A waiter of a coming wait for several things. Its coroutine calls [#leave] unless it keeps the
  /// permit.
  public final Waiter waiter(Waker self) {
    return new Waiter(waiters, home, self);
  }

  /// Ends a wait that is not to have the permit: hands the permit on, or leaves the queue.
  public final void leave(Waiter waiter) {
    if (waiter.isServed()) {
      release();
    } else if (!home.hasEnded()) {
      waiters.remove(waiter);
    }
  }

  /// Releases a permit: to the oldest waiter, if there is one. **Suspends** never.
  public final void release() {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    Waiter next = waiters.poll();
    if (next == null) {
      onReleased(null);
      free++; // last: if the stack overflows in the call above, nothing has changed
    } else {
      onReleased((Waker) next.item());
      next.serve(null, 0);
    }
  }

  private final class Waiters extends WaitQueue {
    @Override
    protected String info() {
      return FairSemaphore.this.info();
    }

    @Override
    protected Class<?> kind() {
      return FairSemaphore.this.getClass();
    }

    @Override
    protected boolean servedOnLoop() {
      return releasedOnLoop();
    }

    @Override
    protected Collection<? extends Awaitable<?>> holders() {
      return FairSemaphore.this.holders();
    }
  }
}
