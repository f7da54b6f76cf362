// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.CoroutineFailure;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackReserve;
import dev.heddle.scheduler.Permits;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.Waker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A lock that the coroutines of one loop take in turns.
///
/// Code between two suspension points is atomic on a loop and needs no lock. A mutex is for a
/// section that suspends in the middle and must not be entered by another coroutine meanwhile.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=mutex}
///
/// It is not reentrant: a method that needs it and is called by one that has it would find the
/// section half done. A second [#lock()] of the owner is an error, not a wait without end.
///
/// **Thread** the loop on which it was made. **Cancelled** nothing is left behind: who leaves the
/// line loses its place, and who was handed the mutex but is cancelled before it runs hands it on.
/// **Order** that of arrival, without barging: [#unlock()] hands the mutex to the oldest who waits,
/// and nobody else can take it meanwhile, not even the coroutine that unlocked. **Cost** while
/// nobody waits: no switch, no allocation.
///
/// @since 0.1
public final class Mutex {
  /*
   * One permit, and who has it. The protocol of the line and of the hand-over is that of Permits; here stand the rules of
   * ownership: a second lock() of the owner, an unlock() of another, a lock() after an owner that has ended with it, throw and
   * change nothing. The owner changes inside unlock(): to the one who is served, before that one runs.
   *
   * Threads. The loop's.
   *
   * I1. While somebody waits, the mutex has an owner, which runs, is ready, waits for something else, or has ended with it.
   *     [MutexModelTest]
   *
   * Rejected. A counter for reentrancy: hides the bug it is asked for.
   *
   * Sources. DESIGN 3.7; traps 1, 2, 3.
   */
  private final Scheduler home;
  private final @Nullable String name;
  private final Turn turn;

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
    this.turn = new Turn();
  }

  // ---- taking it ----

  /// Takes the mutex. **Suspends** while another coroutine holds it.
  ///
  /// @throws dev.heddle.Cancellation when the current coroutine is cancelled while it waits
  /// @throws IllegalStateException when the current coroutine holds it already, when its owner has
  ///   ended without unlocking it, or when it belongs to another loop
  public void lock() {
    CoroutineNode<?> self = current();
    if (!take(self)) {
      turn.await(self, Deadline.never(), null);
    }
  }

  /// Takes the mutex, but does not wait beyond a deadline. Else as [#lock()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; a free mutex is taken
  ///   also after it
  public void lock(Deadline deadline) {
    CoroutineNode<?> self = current();
    if (!take(self)) {
      turn.await(self, deadline, null);
    }
  }

  /// Takes the mutex, but does not wait beyond the moment in which `token` fires. Else as
  /// [#lock()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; a free mutex is taken
  ///   also after it
  public void lock(Awaitable<?> token) {
    CoroutineNode<?> self = current();
    if (!take(self)) {
      turn.await(self, Deadline.never(), EventSource.of(token));
    }
  }

  /// Takes the mutex if it is free. **Suspends** never.
  ///
  /// @return whether the current coroutine holds it now
  /// @throws IllegalStateException when it did already, or the mutex belongs to another loop
  public boolean tryLock() {
    return take(current());
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
    return self;
  }

  private boolean take(CoroutineNode<?> self) {
    if (turn.tryTake()) {
      owner = self;
      return true;
    }
    refuseForEver(self, owner);
    return false;
  }

  private void refuseForEver(CoroutineNode<?> self, @Nullable CoroutineNode<?> holding) {
    if (holding == self) {
      throw new IllegalStateException(
          self.describe()
              + " holds "
              + describe()
              + " already, and it is not reentrant; call it once, and pass what it guards down");
    }
    if (holding != null && holding.isDone()) {
      throw new IllegalStateException(
          describe() + " was never unlocked by " + holding.describe() + "; unlock it in `finally`");
    }
  }

  // ---- giving it back ----

  /// Hands the mutex to the oldest who waits for it, or sets it free. **Suspends** never: the new
  /// owner runs when it is its turn.
  ///
  /// @throws IllegalStateException when the current coroutine does not hold it
  public void unlock() {
    CoroutineNode<?> self = current();
    if (owner != self) {
      throw new IllegalStateException(
          self.describe() + " cannot unlock " + info() + "; who has locked it must unlock it");
    }
    if (turn.waiting() > 0) {
      StackReserve.require(); // else it would have a new owner that nobody wakes
    }
    turn.giveBack();
  }

  // ---- both ----

  /// Runs `body` while the current coroutine holds the mutex, however it ends. **Suspends** as
  /// [#lock()].
  ///
  /// @throws CoroutineFailure when the body threw a checked exception; unchecked ones and errors
  ///   come as they are
  public <T extends @Nullable Object> T run(Body<T> body) {
    // the way back, on which it is unlocked, needs no more stack than this
    StackReserve.require();
    lock();
    T result;
    try {
      result = body.run();
    } catch (Throwable e) {
      throw unlockAfter(CoroutineFailure.of(e));
    }
    unlock();
    return result;
  }

  private RuntimeException unlockAfter(Throwable failure) {
    try {
      unlock();
    } catch (IllegalStateException e) {
      FailureTable.merge(failure, e); // the body has unlocked it
    }
    return Rethrow.unchecked(failure);
  }

  /// Runs an action while the current coroutine holds the mutex. Else as [#run(Body)].
  public void run(Action action) {
    this.<@Nullable Void>run(() -> {
      action.run();
      return null;
    });
  }

  // ---- views ----

  /// The coroutine that holds it, or null.
  public @Nullable Coroutine<?> owner() {
    return owner;
  }

  /// Whether somebody holds it.
  public boolean isLocked() {
    return owner != null;
  }

  /// One line for reports: its name, who holds it, how many wait.
  public String info() {
    CoroutineNode<?> holding = owner;
    if (holding == null) {
      return describe() + ", which nobody holds";
    }
    return describe()
        + ", held by "
        + holding.describe()
        + (holding.isDone() ? " (which has ended without unlocking it)" : "")
        + ", "
        + turn.waiting()
        + " waiting";
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a mutex" : "the mutex '" + name + "'";
  }

  /// The one permit to be inside.
  private final class Turn extends Permits {
    Turn() {
      super(home, 1, "");
    }

    @Override
    protected void passedTo(@Nullable Waker next) {
      owner = (CoroutineNode<?>) next;
    }

    // who holds it is said by holders(), in the words of the report
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
