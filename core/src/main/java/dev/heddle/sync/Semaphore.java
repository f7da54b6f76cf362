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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Permits that the coroutines of one loop acquire and release: a limit on how many do something at
/// once.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=semaphore}
///
/// Permits have no owner: any coroutine may release them, more than were acquired, too. The JDK's
/// [java.util.concurrent.Semaphore] works in coroutines as well, and between threads; this one is
/// fair, is shown with its waiters in dumps, and is part of deadlock reports.
///
/// **Thread** the loop on which it was created. **Cancelled** nothing is left behind: a waiter that
/// was given its permits but is cancelled before it runs gives them back. **Order** first come,
/// first served, without barging, whatever number each wants. A coroutine that never has to wait
/// lets others run at every 64th [#acquire()]. **Cost** without contention: no switch but that, no
/// allocation.
///
/// @since 0.1
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
    this(CoroutineNode.current().scheduler(), null, permits);
  }

  /// A semaphore of the current loop, with a name for reports.
  ///
  /// @param permits the number of free permits, at least 0
  /// @throws IllegalStateException outside a coroutine
  public Semaphore(String name, int permits) {
    this(CoroutineNode.current().scheduler(), Objects.requireNonNull(name, "name"), permits);
  }

  private Semaphore(Scheduler home, @Nullable String name, int permits) {
    this.home = home;
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
    checked(permits, 1);
    home.consumeBudget(self); // first: it may throw
    if (take(permits)) {
      return;
    }
    Waiters queue = waiters();
    Waiter waiter = new Waiter(queue, home, permits);
    try {
      queue.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(queue, waiter, permits);
      throw e;
    }
  }

  private Waiters waiters() {
    Waiters queue = waiters;
    if (queue == null) {
      queue = new Waiters();
      waiters = queue;
    }
    return queue;
  }

  private void leave(Waiters queue, Waiter waiter, int permits) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    queue.remove(waiter);
    putBack(waiter.isServed() ? permits : 0);
    giveOut(); // also to those who waited behind one that wanted more
  }

  /// A waiter for one permit, for a select that waits for several things.
  Waiter waiter(CoroutineNode<?> self) {
    return new Waiter(waiters(), self.scheduler(), 1);
  }

  /// Such a waiter leaves, and gives back its permit.
  void leave(Waiter waiter) {
    if (waiters != null) {
      leave(waiters, waiter, 1);
    }
  }

  // others may have released so many meanwhile that not all of them can be counted
  private void putBack(int permits) {
    free = permits > Integer.MAX_VALUE - free ? Integer.MAX_VALUE : free + permits;
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
    return with(1, body, Deadline.never(), null);
  }

  /// Runs `body` with a permit, but waits for that no longer than a deadline, which does not bound
  /// the body. Otherwise as [#withPermit(Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> T withPermit(Body<T> body, Deadline deadline) {
    return with(1, body, deadline, null);
  }

  /// Runs `body` with a permit, but waits for that no longer than until `token` fires, which does
  /// not bound the body. Otherwise as [#withPermit(Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> T withPermit(Body<T> body, Awaitable<?> token) {
    return with(1, body, Deadline.never(), EventSource.of(token));
  }

  /// Runs an action with a permit. Otherwise as [#withPermit(Body)].
  public void withPermit(Action action) {
    with(1, Bodies.of(action), Deadline.never(), null);
  }

  /// Runs an action with a permit. Otherwise as [#withPermit(Body, Deadline)].
  public void withPermit(Action action, Deadline deadline) {
    with(1, Bodies.of(action), deadline, null);
  }

  /// Runs an action with a permit. Otherwise as [#withPermit(Body, Awaitable)].
  public void withPermit(Action action, Awaitable<?> token) {
    with(1, Bodies.of(action), Deadline.never(), EventSource.of(token));
  }

  /// Runs `body` with several permits, acquired together, and releases them however the body ends.
  /// **Suspends** as [#acquire(int)].
  ///
  /// @param permits how many, at least 1
  /// @throws dev.heddle.CoroutineException when the body threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  public <T extends @Nullable Object> T withPermits(int permits, Body<T> body) {
    return with(permits, body, Deadline.never(), null);
  }

  /// Runs `body` with several permits, but waits for them no longer than a deadline, which does not
  /// bound the body. Otherwise as [#withPermits(int, Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public <T extends @Nullable Object> T withPermits(int permits, Body<T> body, Deadline deadline) {
    return with(permits, body, deadline, null);
  }

  /// Runs `body` with several permits, but waits for them no longer than until `token` fires, which
  /// does not bound the body. Otherwise as [#withPermits(int, Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public <T extends @Nullable Object> T withPermits(int permits, Body<T> body, Awaitable<?> token) {
    return with(permits, body, Deadline.never(), EventSource.of(token));
  }

  /// Runs an action with several permits. Otherwise as [#withPermits(int, Body)].
  public void withPermits(int permits, Action action) {
    with(permits, Bodies.of(action), Deadline.never(), null);
  }

  /// Runs an action with several permits. Otherwise as [#withPermits(int, Body, Deadline)].
  public void withPermits(int permits, Action action, Deadline deadline) {
    with(permits, Bodies.of(action), deadline, null);
  }

  /// Runs an action with several permits. Otherwise as [#withPermits(int, Body, Awaitable)].
  public void withPermits(int permits, Action action, Awaitable<?> token) {
    with(permits, Bodies.of(action), Deadline.never(), EventSource.of(token));
  }

  private <T extends @Nullable Object> T with(
      int permits, Body<T> body, Deadline deadline, @Nullable EventSource token) {
    // checked here, because releasing must not overflow the stack; it needs no more than this
    StackGuard.requireRoom();
    acquire(permits, deadline, token);
    try {
      return Bodies.run(body);
    } finally {
      if (!home.hasEnded()) { // the loop may have abandoned this coroutine meanwhile
        putBack(permits);
        giveOut();
      }
    }
  }

  // ---- views ----

  /// The number of free permits.
  public int availablePermits() {
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
