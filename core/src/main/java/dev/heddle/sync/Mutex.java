// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.CoroutineException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue.Waiter;
import dev.heddle.scheduler.Waker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A mutual-exclusion lock for the coroutines of one loop.
///
/// Code between two suspension points is atomic on a loop and needs no lock. A mutex is for a
/// section that suspends in the middle and must not be entered by another coroutine meanwhile.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=mutex}
///
/// It is not reentrant: a method that locks it and is called by the owner would see the section
/// half done. A second [#lock()] by the owner is an error, not a wait without end.
///
/// **Thread** the loop on which it was created. **Cancelled** nothing is left behind: a cancelled
/// waiter leaves the queue, and a coroutine that was handed the mutex but is cancelled before it
/// runs hands it on. **Order** first come, first served, without barging: [#unlock()] hands the
/// mutex to the oldest waiter, and no other coroutine can lock it in between, not even the one that
/// unlocked. **Cost** without contention: no switch, however often it is locked, so a coroutine
/// that does nothing else lets no other run; no allocation.
///
/// @since 0.1
public final class Mutex {
  /*
   * One permit and its owner. The protocol of the queue and of the hand-over is that of
   * FairSemaphore. This class adds the rules of ownership: a second lock() by the owner, an
   * unlock() by another coroutine, and a lock() after the owner has ended without unlocking throw
   * and change nothing. unlock() itself sets the new owner, before that coroutine runs.
   *
   * Threads. The loop's.
   *
   * I1. While a coroutine waits, the mutex has an owner, which runs, is ready, waits for something
   *     else, or has ended without unlocking. [MutexModelTest]
   *
   * Rejected. A counter for reentrancy: hides the bug that makes a program need it.
   *
   * Sources. trap-1, trap-2, trap-3.
   */
  private final Scheduler home;
  private final @Nullable String name;
  private final Permit permit;

  // loop only
  private @Nullable CoroutineNode<?> owner;

  /// A free mutex of the current loop.
  ///
  /// @throws IllegalStateException outside a coroutine
  public Mutex() {
    this(CoroutineNode.current().scheduler(), null);
  }

  /// A free mutex of the current loop, with a name for reports.
  ///
  /// @throws IllegalStateException outside a coroutine
  public Mutex(String name) {
    this(CoroutineNode.current().scheduler(), name);
  }

  private Mutex(Scheduler home, @Nullable String name) {
    this.home = home;
    this.name = name;
    this.permit = new Permit();
  }

  // ---- locking ----

  /// Locks the mutex. **Suspends** while another coroutine owns it.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the current coroutine already owns it, when its owner has
  ///   ended without unlocking it, or when it belongs to another loop
  public void lock() {
    lock(Deadline.never(), null);
  }

  /// Locks the mutex, but waits no longer than a deadline. Otherwise as [#lock()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; a free mutex is locked
  ///   even after the deadline
  public void lock(Deadline deadline) {
    lock(deadline, null);
  }

  /// Locks the mutex, but waits no longer than until `token` fires. Otherwise as [#lock()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; a free mutex is locked
  ///   even after the token has fired
  public void lock(Awaitable<?> token) {
    lock(Deadline.never(), EventSource.of(token));
  }

  private void lock(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    if (!tryAcquire(self)) {
      permit.awaitPermit(self, deadline, token);
    }
  }

  /// Locks the mutex if it is free. **Suspends** never.
  ///
  /// @return whether the current coroutine has locked it
  /// @throws IllegalStateException when it already owns the mutex, the owner has ended without
  ///   unlocking it, or the mutex belongs to another loop
  public boolean tryLock() {
    return tryAcquire(current());
  }

  /// For a select that waits for several things.
  Waiter waiter(CoroutineNode<?> self) {
    return permit.waiter(self);
  }

  void leave(Waiter waiter) {
    permit.leave(waiter);
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
    return self;
  }

  private boolean tryAcquire(CoroutineNode<?> self) {
    if (permit.tryAcquire()) {
      owner = self;
      return true;
    }
    checkNotEndless(self, owner);
    return false;
  }

  private void checkNotEndless(CoroutineNode<?> self, @Nullable CoroutineNode<?> holding) {
    if (holding == self) {
      throw new IllegalStateException(
          "%s holds %s already, and it is not reentrant; call it once, and pass what it guards down"
              .formatted(self.describe(), describe()));
    }
    if (holding != null && holding.isDone()) {
      throw new IllegalStateException(
          describe() + " was never unlocked by " + holding.describe() + "; unlock it in `finally`");
    }
  }

  /// Hands the mutex to the oldest waiter, or frees it. **Suspends** never: the new owner runs when
  /// its turn in the ready queue comes.
  ///
  /// @throws IllegalStateException when the current coroutine does not own it
  public void unlock() {
    CoroutineNode<?> self = current();
    if (owner != self) {
      throw new IllegalStateException(
          self.describe() + " cannot unlock " + info() + "; only its owner may unlock it");
    }
    if (permit.waiting() > 0) {
      StackGuard
          .requireRoom(); // a StackOverflowError half-way would leave an owner that never wakes
    }
    permit.release();
  }

  /// Runs `body` while the current coroutine owns the mutex, and unlocks it however the body ends.
  /// **Suspends** as [#lock()].
  ///
  /// @throws CoroutineException when the body threw a checked exception; unchecked exceptions and
  ///   errors are thrown as they are
  public <T extends @Nullable Object> T withLock(Body<T> body) {
    return with(body, Deadline.never(), null);
  }

  /// Runs `body` while the current coroutine owns the mutex, but waits for that no longer than a
  /// deadline, which does not bound the body. Otherwise as [#withLock(Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  /// @since 0.1
  public <T extends @Nullable Object> T withLock(Body<T> body, Deadline deadline) {
    return with(body, deadline, null);
  }

  /// Runs `body` while the current coroutine owns the mutex, but waits for that no longer than
  /// until `token` fires, which does not bound the body. Otherwise as [#withLock(Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  /// @since 0.1
  public <T extends @Nullable Object> T withLock(Body<T> body, Awaitable<?> token) {
    return with(body, Deadline.never(), EventSource.of(token));
  }

  private <T extends @Nullable Object> T with(
      Body<T> body, Deadline deadline, @Nullable EventSource token) {
    // checked here, because unlocking must not overflow the stack; it needs no more than this
    StackGuard.requireRoom();
    lock(deadline, token);
    T result;
    try {
      result = body.run();
    } catch (Throwable e) {
      throw unlockAfter(CoroutineException.of(e));
    }
    unlock();
    return result;
  }

  private RuntimeException unlockAfter(Throwable failure) {
    try {
      unlock();
    } catch (IllegalStateException e) {
      FailureTable.merge(failure, e); // the body has already unlocked it
    }
    return Rethrow.unchecked(failure);
  }

  /// Runs an action while the current coroutine owns the mutex. Otherwise as [#withLock(Body)].
  public void withLock(Action action) {
    with(Bodies.of(action), Deadline.never(), null);
  }

  /// Runs an action while the current coroutine owns the mutex. Otherwise as [#withLock(Body,
  /// Deadline)].
  ///
  /// @since 0.1
  public void withLock(Action action, Deadline deadline) {
    with(Bodies.of(action), deadline, null);
  }

  /// Runs an action while the current coroutine owns the mutex. Otherwise as [#withLock(Body,
  /// Awaitable)].
  ///
  /// @since 0.1
  public void withLock(Action action, Awaitable<?> token) {
    with(Bodies.of(action), Deadline.never(), EventSource.of(token));
  }

  // ---- views ----

  /// The coroutine that owns it, or null.
  public @Nullable Coroutine<?> owner() {
    return owner;
  }

  /// The number of coroutines that wait.
  ///
  /// @since 0.1
  public int waiting() {
    return permit.waiting();
  }

  /// Whether a coroutine owns it.
  public boolean isLocked() {
    return owner != null;
  }

  /// One line for reports: name, owner, number of waiters.
  public String info() {
    CoroutineNode<?> holding = owner;
    if (holding == null) {
      return describe() + ", which is not locked";
    }
    String ended = holding.isDone() ? " (which has ended without unlocking it)" : "";
    return "%s, held by %s%s, %s waiting"
        .formatted(describe(), holding.describe(), ended, waiting());
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a mutex" : "the mutex '" + name + "'";
  }

  private final class Permit extends FairSemaphore {
    Permit() {
      super(home, 1, "");
    }

    @Override
    protected void onReleased(@Nullable Waker next) {
      owner = (CoroutineNode<?>) next;
    }

    // the report names the owner by holders(), unless it has ended
    @Override
    protected String info() {
      CoroutineNode<?> holding = owner;
      return holding == null || !holding.isDone()
          ? describe()
          : describe() + ", held by " + holding.label() + ", which has ended without unlocking it";
    }

    @Override
    protected List<CoroutineNode<?>> holders() {
      CoroutineNode<?> holding = owner;
      return holding == null ? List.of() : List.of(holding);
    }
  }
}
