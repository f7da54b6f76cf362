// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.CoroutineFailure;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.StackReserve;
import dev.heddle.scheduler.Waker.Role;
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
   * States.  from  event                                   to    who
   *          FREE  lock(), tryLock()                       HELD  the caller, from now on the owner
   *          HELD  unlock(), somebody waits                HELD  the owner; the oldest who waits is the owner when the call returns
   *          HELD  unlock(), nobody waits                  FREE  the owner
   *          HELD  an owner that was handed it and has     HELD, the new owner, on its way out of lock(): as by unlock()
   *                not run leaves: cancelled, deadline,    FREE
   *                token
   * Everything else (a second lock() of the owner, an unlock() of another) throws and changes nothing.
   *
   * The hand-over. A wake-up only queues: between unlock() and the run of the one it has woken anything may happen. So ownership
   * passes inside unlock(). A mutex that was merely set free would be taken by whoever runs next, most often the one that has
   * just unlocked it, and the one that was woken would find it taken, again and again.
   *
   * Threads. The loop's.
   *
   * I1. While somebody waits, the mutex is held, and its owner runs or is ready, or will unlock. [MutexModelTest]
   * I2. Owners follow one another in the order of their arrival; who left early is skipped. [MutexModelTest]
   * I3. Who throws out of lock() does not own it, and nobody waits for it to unlock. [MutexModelTest]
   *
   * Cost. Free: two comparisons and a store. Contended: one object, one switch for each hand-over, no look at the reactor
   * in between. Leaving the line is constant, wherever one stands.
   *
   * Rejected. A counter for reentrancy: hides the bug it is asked for. Handing over only when the new owner runs: a second
   * state (reserved) that every method must ask for.
   *
   * Sources. DESIGN 3.7; traps 1, 2, 3, 7.
   */
  private final Scheduler home;
  private final @Nullable String name;
  private final Line line = new Line();

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
      await(self, null, Role.RESOLVE);
    }
  }

  /// Takes the mutex, but does not wait beyond a deadline. Else as [#lock()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; a free mutex is taken
  ///   also after it
  public void lock(Deadline deadline) {
    CoroutineNode<?> self = current();
    if (!take(self)) {
      Event end = deadline.isNever() ? null : self.loop().timer(deadline.nanoTime(), false);
      await(self, end, Role.TIMEOUT);
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
      await(self, token.event(), Role.CANCEL);
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
    CoroutineNode<?> holding = owner;
    if (holding == null) {
      owner = self;
      return true;
    }
    if (holding == self) {
      throw new IllegalStateException(
          self.describe()
              + " holds "
              + describe()
              + " already, and it is not reentrant; call it once, and pass what it guards down");
    }
    if (holding.isDone()) {
      throw new IllegalStateException(
          describe() + " was never unlocked by " + holding.describe() + "; unlock it in `finally`");
    }
    return false;
  }

  private void await(CoroutineNode<?> self, @Nullable Event end, Role role) {
    Place place = new Place(self);
    line.add(place);
    try {
      self.renew();
      self.resumeWhen(place, Role.RESOLVE);
      if (end != null) {
        self.resumeWhen(end, role);
      }
      home.suspend(self);
    } catch (Throwable e) {
      if (!home.hasEnded()) {
        leave(place);
      }
      throw e;
    }
  }

  private void leave(Place place) {
    if (owner == place.waiting) {
      handOver();
    } else {
      line.remove(place);
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
    handOver();
  }

  private void handOver() {
    Line.Place next = line.poll();
    if (next == null) {
      owner = null;
    } else {
      owner = next.waiting;
      next.call();
    }
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
    try {
      return body.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new CoroutineFailure(e);
    } finally {
      unlock();
    }
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
        + line.length()
        + " waiting";
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a mutex" : "the mutex '" + name + "'";
  }

  /// A coroutine in the line.
  private final class Place extends Line.Place {
    Place(CoroutineNode<?> waiting) {
      super(waiting);
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      CoroutineNode<?> holding = owner;
      return holding == null ? List.of() : List.of(holding);
    }

    @Override
    public String info() {
      CoroutineNode<?> holding = owner;
      return holding == null || !holding.isDone()
          ? describe()
          : describe() + ", held by " + holding.label() + ", which has ended without unlocking it";
    }
  }
}
