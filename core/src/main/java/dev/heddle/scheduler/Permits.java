// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A number of permits that the coroutines of a loop take and give back, served in the order of
/// arrival: what every kind of turn-taking is made of.
///
/// **Thread** the loop's. **Cost** while nobody waits: no switch, no allocation.
public class Permits {
  /*
   * States of a permit.  from     event                           to       who
   *                      FREE     take(), tryTake()               TAKEN    the caller
   *                      TAKEN    giveBack(), somebody waits      TAKEN    by the oldest who waits, when the call returns
   *                      TAKEN    giveBack(), nobody waits        FREE
   *                      TAKEN    it was handed over, and its new TAKEN,   the new holder, on its way out: as by giveBack()
   *                               holder leaves before it has run FREE
   *                               (cancelled, deadline, token)
   *
   * The hand-over. A wake-up only queues: until the one who was woken runs, anything may happen. So the permit passes inside
   * giveBack(). One that was merely set free would be taken by whoever runs next, most often the one that has just given it back,
   * and who was woken would find nothing, again and again. Who has been woken by something else already is passed over: it is
   * about to leave.
   *
   * Threads. The loop's.
   *
   * I1. While somebody waits no permit is free. [MutexModelTest]
   * I2. Permits are handed out in the order of arrival. [MutexModelTest]
   * I3. Who throws out of take() has none. [MutexModelTest]
   *
   * Cost. A wait: one object, which is its event and its place in the line; a hand-over: one switch, and no look at the reactor.
   * Leaving the line is constant, wherever one stands: it is linked.
   *
   * Rejected. Handing over when the new holder runs: a second state (reserved) that every other method must ask for.
   *
   * Sources. DESIGN 3.3; traps 1, 2, 3, 7.
   */
  private final Scheduler home;
  private final Object what;

  // loop only
  private int free;
  private int waiting;
  private @Nullable Place oldest;
  private @Nullable Place newest;

  /// Free permits.
  ///
  /// @param what they are for, as reports call it
  public Permits(Scheduler home, int number, Object what) {
    this.home = home;
    this.free = number;
    this.what = what;
  }

  // ---- what users of permits add ----

  /// One that was given back has passed to a coroutine that has not run since; null: it is free.
  protected void passedTo(@Nullable Waker next) {}

  /// What those in the line wait for, one line.
  protected String info() {
    return "its turn with " + what;
  }

  /// Whether they are given back by coroutines of the loop: a wait that other threads end counts as
  /// one for the outside world.
  protected boolean areOfTheLoop() {
    return true;
  }

  /// The coroutines that have to act before somebody can be served, as far as is known.
  protected Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  // ---- taking and giving ----

  /// How many wait.
  public final int waiting() {
    return waiting;
  }

  /// How many could be taken at once.
  public final int free() {
    return free;
  }

  /// Takes one if there is one: then nobody waits for it.
  public final boolean tryTake() {
    if (free == 0) {
      return false;
    }
    free--;
    return true;
  }

  /// Takes one, as the coroutine `self`. **Suspends** while there is none.
  public final void take(Waker self) {
    if (!tryTake()) {
      await(self, Deadline.never(), null);
    }
  }

  /// Waits for one to be handed over, after [#tryTake()] has found none.
  ///
  /// @param token what else ends the wait; null: nothing
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

  /// Gives one back: to the oldest who waits, if there is one. **Suspends** never.
  public final void giveBack() {
    if (home.hasEnded()) {
      return; // on a thread of the JDK's by now, as others may be
    }
    Place next = nextServed();
    if (next == null) {
      passedTo(null);
      free++; // last: if the stack ends at a call, nothing has changed
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

  // ---- the line ----

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

  /// A coroutine in the line, and the event it waits for: fires once, when it is served.
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
