// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import org.jspecify.annotations.Nullable;

/// Permits that the coroutines of one loop acquire and release: a limit on how many do something at
/// once.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=semaphore}
///
/// Permits have no owner: any coroutine may release them, more than were acquired, too. The JDK's
/// [java.util.concurrent.Semaphore] works in coroutines as well, and between threads; this one is
/// fair without a price, is shown with its waiters in dumps, and is part of deadlock reports.
///
/// **Thread** the loop on which it was created. **Cancelled** nothing is left behind: a waiter that
/// was given its permits but is cancelled before it runs gives them back. **Order** first come,
/// first served, without barging, whatever number each wants. **Cost** without contention: no
/// switch, no allocation.
///
/// @since 0.2
public final class Semaphore {
  /*
   * I1. The oldest waiter wants more permits than are free: release() and a waiter that leaves give
   *     out what is free, the oldest first. [SemaphoreModelTest]
   * I2. No coroutine overtakes a waiter: tryAcquire() fails while one waits, even if enough permits
   *     for it are free. [SemaphoreModelTest]
   *
   * Threads. The loop's.
   *
   * Sources. trap-1, trap-2, trap-3; WaitQueue has the states of a waiter.
   */
  private final Scheduler home;
  private final @Nullable String name;

  // loop only
  private int free;
  private int total; // the most that have been free at once: those that exist
  private @Nullable Waiters waiters; // null: none has ever waited

  /// A semaphore of the current loop.
  ///
  /// @param permits the number of free permits, at least 0
  /// @throws IllegalStateException outside a coroutine
  public Semaphore(int permits) {
    this(null, permits);
  }

  /// A semaphore of the current loop, with a name for reports.
  ///
  /// @param permits the number of free permits, at least 0
  /// @throws IllegalStateException outside a coroutine
  public Semaphore(@Nullable String name, int permits) {
    this.home = CoroutineNode.current().scheduler();
    this.name = name;
    this.free = checked(permits, 0);
    this.total = free;
  }

  private static int checked(int permits, int least) {
    if (permits < least) {
      throw new IllegalArgumentException(
          permits + " permits: a semaphore counts from " + least + " on");
    }
    return permits;
  }

  // ---- acquiring ----

  /// Acquires a permit. **Suspends** while none is free.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the semaphore belongs to another loop
  public void acquire() {
    acquire(1, Deadline.never(), null);
  }

  /// Acquires a permit, but waits no longer than a deadline. Otherwise as [#acquire()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void acquire(Deadline deadline) {
    acquire(1, deadline, null);
  }

  /// Acquires a permit, but waits no longer than until `token` fires. Otherwise as [#acquire()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void acquire(Awaitable<?> token) {
    acquire(1, Deadline.never(), EventSource.of(token));
  }

  /// Acquires several permits together: all of them or, while it waits, none. Otherwise as
  /// [#acquire()].
  ///
  /// @param permits how many, at least 1
  public void acquire(int permits) {
    acquire(permits, Deadline.never(), null);
  }

  /// Acquires several permits together, but waits no longer than a deadline. Otherwise as
  /// [#acquire()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void acquire(int permits, Deadline deadline) {
    acquire(permits, deadline, null);
  }

  /// Acquires several permits together, but waits no longer than until `token` fires. Otherwise as
  /// [#acquire()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void acquire(int permits, Awaitable<?> token) {
    acquire(permits, Deadline.never(), EventSource.of(token));
  }

  private void acquire(int permits, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    if (take(checked(permits, 1))) {
      return;
    }
    Waiters queue = waiters;
    if (queue == null) {
      queue = new Waiters();
      waiters = queue;
    }
    Waiter waiter = new Waiter(queue, home, permits);
    try {
      queue.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(queue, waiter, permits);
      throw e;
    }
  }

  private void leave(Waiters queue, Waiter waiter, int permits) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    queue.remove(waiter);
    free += waiter.isServed() ? permits : 0;
    giveOut(); // also to those who waited behind one that wanted more
  }

  /// Acquires a permit if one is free and no coroutine waits. **Suspends** never.
  ///
  /// @return whether it was acquired
  public boolean tryAcquire() {
    return tryAcquire(1);
  }

  /// Acquires several permits if they are free and no coroutine waits. **Suspends** never.
  ///
  /// @return whether they were acquired
  public boolean tryAcquire(int permits) {
    current();
    return take(checked(permits, 1));
  }

  private boolean take(int permits) {
    if (free < permits || (waiters != null && waiters.peek() != null)) {
      return false;
    }
    free -= permits;
    return true;
  }

  // ---- releasing ----

  /// Releases a permit. **Suspends** never.
  public void release() {
    release(1);
  }

  /// Releases several permits. **Suspends** never: those that get them run when their turn comes.
  ///
  /// @throws ArithmeticException when there are more than [Integer#MAX_VALUE] then
  public void release(int permits) {
    current();
    if (waiters != null) {
      StackGuard.requireRoom(); // an overflow half-way would leave a waiter that never wakes
    }
    free = Math.addExact(free, checked(permits, 1));
    total = Math.max(total, free);
    giveOut();
  }

  private void giveOut() {
    WaitQueue queue = waiters;
    Waiter oldest = queue == null ? null : queue.peek();
    while (queue != null
        && oldest != null
        && oldest.item() instanceof Integer wanted
        && wanted <= free) {
      free -= wanted;
      queue.remove(oldest);
      oldest.serve(null, 0);
      oldest = queue.peek();
    }
  }

  /// Runs `body` with a permit, and releases it however the body ends. **Suspends** as
  /// [#acquire()].
  ///
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  public <T extends @Nullable Object> T withPermit(Body<T> body) {
    // checked here, because releasing must not overflow the stack; it needs no more than this
    StackGuard.requireRoom();
    acquire();
    try {
      return Bodies.run(body);
    } finally {
      returnOne();
    }
  }

  // by a coroutine that the loop may have abandoned meanwhile
  private void returnOne() {
    if (!home.hasEnded()) {
      free = Math.addExact(free, 1);
      giveOut();
    }
  }

  /// Runs an action with a permit. Otherwise as [#withPermit(Body)].
  public void withPermit(Action action) {
    this.<@Nullable Void>withPermit(() -> {
      action.run();
      return null;
    });
  }

  // ---- views ----

  /// The number of free permits.
  public int available() {
    return free;
  }

  /// The number of coroutines that wait.
  public int waiting() {
    return waiters == null ? 0 : waiters.size();
  }

  /// One line for reports: name, free permits, those that exist, number of waiters.
  public String info() {
    return "%s with %d of %d free, %d waiting"
        .formatted(describe(), free, Math.max(total, free), waiting());
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a semaphore" : "the semaphore '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
    return self;
  }

  private final class Waiters extends WaitQueue {
    @Override
    protected String info() {
      return "permits of " + Semaphore.this.info();
    }
  }
}
