// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A fair semaphore: permits that the coroutines of one loop acquire and release, first come, first
/// served.
///
/// **Thread** the loop's. **Cost** without contention: no switch, no allocation.
public class Permits {
  /*
   * States of a permit.
   *   from   event                               to             who
   *   FREE   take(), tryTake()                   TAKEN          the caller
   *   TAKEN  giveBack(), a coroutine waits       TAKEN          the oldest waiter, when the call
   *                                                             returns
   *   TAKEN  giveBack(), no coroutine waits      FREE           the caller
   *   TAKEN  its new holder leaves before it     TAKEN or FREE  the new holder, as by giveBack()
   *          has run (cancelled, deadline, token)
   *
   * Hand-over. A wake-up only queues a coroutine; others run before it. So giveBack() itself passes
   * the permit to the waiter. If it only freed the permit, the next coroutine to run would take it,
   * most often the one that has just released it, and the woken waiter would find none, again and
   * again. giveBack() skips a waiter that another event (deadline, cancellation) has already woken:
   * that waiter is about to leave the queue.
   *
   * Threads. The loop's.
   *
   * I1. While a coroutine waits, no permit is free. [MutexModelTest]
   * I2. Permits are handed out in the order of arrival. [MutexModelTest]
   * I3. A coroutine for which take() throws holds no permit. [MutexModelTest]
   *
   * Cost. A wait: one object, which is both the event and the queue entry. A hand-over: one switch,
   * and no poll of the reactor. Leaving the queue takes constant time, because the queue is linked.
   *
   * Rejected. A hand-over when the new holder runs: every other method would have to check for a
   * second state (reserved).
   *
   * Sources. trap-1, trap-2, trap-3, trap-7.
   */
  private final Scheduler home;
  private final Object what;

  // loop only
  private int free;
  private int waiting;
  private @Nullable Place oldest;
  private @Nullable Place newest;

  /// A semaphore whose permits are all free.
  ///
  /// @param what the permits' purpose, for reports
  public Permits(Scheduler home, int number, Object what) {
    this.home = home;
    this.free = number;
    this.what = what;
  }

  // ---- for subclasses ----

  /// A released permit was handed to a coroutine that has not run since; null: the permit is free.
  protected void passedTo(@Nullable Waker next) {}

  /// What the waiters wait for, in one line.
  protected String info() {
    return "its turn with " + what;
  }

  /// Whether only coroutines of the loop release the permits; else other threads may, and waits
  /// count as waits for the outside world.
  protected boolean areOfTheLoop() {
    return true;
  }

  /// The coroutines that must act before a permit can be released, as far as is known.
  protected Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  // ---- acquiring and releasing ----

  /// The number of waiters.
  public final int waiting() {
    return waiting;
  }

  /// The number of free permits.
  public final int free() {
    return free;
  }

  /// Takes a permit if one is free.
  public final boolean tryTake() {
    if (free == 0) {
      return false;
    }
    free--;
    return true;
  }

  /// Takes a permit for the coroutine `self`. **Suspends** while none is free.
  public final void take(Waker self) {
    if (!tryTake()) {
      await(self, Deadline.never(), null);
    }
  }

  /// Waits until a permit is handed over, after [#tryTake()] has found none.
  ///
  /// @param token another event that ends the wait; null: none
  public final void await(Waker self, Deadline deadline, @Nullable EventSource token) {
    Place place = new Place(self);
    enter(place);
    try {
      self.renewWithTimeout(deadline, token);
      self.resumeWhen(place);
      home.suspend(self);
    } catch (Throwable e) {
      leave(place);
      throw e;
    }
  }

  /// Releases a permit: to the oldest waiter, if there is one. **Suspends** never.
  public final void giveBack() {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    Place next = nextServed();
    if (next == null) {
      passedTo(null);
      free++; // last: if the stack overflows in the call above, nothing has changed
    } else {
      passedTo(next.coroutine);
      next.call();
    }
  }

  private void leave(Place place) {
    if (place.called) {
      giveBack();
    } else if (!home.hasEnded()) {
      remove(place);
    }
  }

  private @Nullable Place nextServed() {
    for (Place place = oldest; place != null; place = oldest) {
      remove(place);
      if (place.isAwaited()) {
        return place;
      }
    }
    return null;
  }

  // ---- the queue of waiters ----

  private void enter(Place place) {
    Place before = newest;
    place.previous = before;
    if (before == null) {
      oldest = place;
    } else {
      before.next = place;
    }
    newest = place;
    place.inLine = true;
    waiting++;
  }

  private void remove(Place place) {
    if (!place.inLine) {
      return;
    }
    Place before = place.previous;
    Place after = place.next;
    if (before == null) {
      oldest = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.previous = before;
    }
    place.previous = null;
    place.next = null;
    place.inLine = false;
    waiting--;
  }

  /// A waiter and the event it waits for, which fires once, when the waiter gets the permit.
  private final class Place extends EventSource {
    final Waker coroutine;
    @Nullable Place previous;
    @Nullable Place next;
    boolean inLine;
    boolean called;

    Place(Waker coroutine) {
      super(home);
      this.coroutine = coroutine;
    }

    boolean isAwaited() {
      return hasTaker();
    }

    void call() {
      called = true;
      fire(null, null);
    }

    @Override
    public boolean isClosed() {
      return called;
    }

    @Override
    public boolean isHidden() {
      return areOfTheLoop();
    }

    @Override
    public void replay(EventCallback callback) {
      if (!called) {
        super.replay(callback);
      }
      callback.onEvent(this, null, null);
    }

    @Override
    public String info() {
      return Permits.this.info();
    }

    @Override
    public Collection<? extends Awaitable<?>> holders() {
      return Permits.this.holders();
    }
  }
}
