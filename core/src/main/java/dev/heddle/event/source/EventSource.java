// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.NotifyHook;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What an [Event] is made of: its subscribers, whether coroutines wait for it, and how it fires.
public abstract non-sealed class EventSource implements Event {
  /*
   * Notification. Hooks first, then the callbacks in the order of their subscription. The first
   * callback is kept here; when a second one comes while it is there, or while a notification runs,
   * all move to Subscribers, and stay there. It says how they are removed: no place changes while a
   * notification runs. Swap-remove would run one callback twice and another never (trap-8).
   *
   * States.  from    event                           to      who
   *          IDLE    start(), startDaemon()                ARMED   loop: the first of them arms,
   *                                                                later ones only count
   *          ARMED   stop(), stopDaemon()               IDLE    loop: the last of them disarms
   *          any     close(result, error)            CLOSED  loop: once; disarms nothing, the stops
   *                                                          still to come do
   *
   * Who keeps the loop alive. A start is somebody who waits; a watch is a stream or a future, for
   * whom others may wait, or nobody. An event that is not hidden counts while there are starts.
   *
   * Threads. The loop's own, as the class says. What other threads want to tell an event goes
   * through the loop's inbox.
   *
   * I1. Every callback that was subscribed when its turn came runs exactly once per notification.
   *     [EventModelTest]
   * I2. arm() and disarm() alternate; a second stop of a shared event disarms nobody else.
   *     [EventTest]
   * I3. A callback that throws ends the notification, and the list stays sound. [EventTest]
   * I4. A watch neither adds to the count nor takes anybody off it. [EventTest]
   * I5. A notification that meets a callback of a user's runs nowhere but in a coroutine of its
   *     own, as a whole. One that is added while an inline notification runs is told from the next
   *     one on. [EventModelTest]
   *
   * Cost. One callback: a field; more: a list, of 4 to 8 bytes each. To subscribe and to
   * unsubscribe takes constant time, amortised, in whatever order callbacks leave: n coroutines
   * that wait for one event are woken, cut or cancelled in O(n). [EventCostTest]
   *
   * Sources. trap-8, trap-9, trap-10, trap-13, trap-64.
   */
  private final HomeLoop home;

  // loop only
  private @Nullable EventCallback singleCallback; // null: none, or they are all in `subscribers`
  private @Nullable Subscribers subscribers; // null: there was never more than one
  private int notifying; // depth
  private int starts; // watches included
  private int daemonStarts;
  private boolean countedAsArmed; // as one that keeps the loop alive

  /// An idle event of a loop.
  protected EventSource(HomeLoop home) {
    this.home = home;
  }

  /// The loop this event belongs to.
  public final HomeLoop home() {
    return home;
  }

  /// The event of anything that can be awaited.
  public static EventSource of(Awaitable<?> awaitable) {
    return (EventSource) awaitable.event();
  }

  @Override
  public final EventSource event() {
    return this;
  }

  /// The coroutines that have to act before this event can fire: to end, to release, to complete.
  /// Reports name them and look for cycles among them; an event that does not know says nothing.
  public Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  @Override
  public boolean isClosed() {
    return false;
  }

  /// Whether it neither keeps the loop alive nor counts against a deadlock.
  public boolean isDaemon() {
    return true;
  }

  // ---- subscriptions ----

  @Override
  public final void subscribe(EventCallback callback) {
    var _ = add(callback);
  }

  /// Adds a callback behind those that are there. It does not keep the loop alive: [#start()] does.
  ///
  /// @return its place, for [#unsubscribe(EventCallback, int)]; when the place changes, an
  ///   [InlineCallback] is told
  public final int add(EventCallback callback) {
    if (!(callback instanceof InlineCallback)) {
      Objects.requireNonNull(callback, "callback");
      home.checkOnLoop();
    }
    Subscribers list = subscribers;
    if (list == null) {
      if (singleCallback == null && notifying == 0) {
        singleCallback = callback;
        return 0;
      }
      list = new Subscribers(this, singleCallback);
      subscribers = list;
      singleCallback = null;
    }
    return list.add(callback);
  }

  private int size() {
    Subscribers list = subscribers;
    return list != null ? list.size() : singleCallback != null ? 1 : 0;
  }

  private @Nullable EventCallback at(int place) {
    Subscribers list = subscribers;
    return list != null ? list.at(place) : singleCallback;
  }

  @Override
  public final void unsubscribe(EventCallback callback) {
    unsubscribe(callback, Integer.MAX_VALUE);
  }

  /// Removes a callback that [#add] has put at `place`. Else as [#unsubscribe(EventCallback)].
  ///
  /// **Cost** constant, amortised, for a callback of a user's; for an [InlineCallback] if `place`
  /// is what it was last told.
  public final void unsubscribe(EventCallback callback, int place) {
    Subscribers list = subscribers;
    if (list == null) {
      if (singleCallback == callback) {
        singleCallback = null;
      }
      return;
    }
    list.remove(callback, place);
    compact();
  }

  private void compact() {
    Subscribers list = subscribers;
    if (list != null && notifying == 0) {
      list.compact();
    }
  }

  /// Callbacks in force.
  public final int subscribers() {
    Subscribers list = subscribers;
    return list != null ? list.live() : size();
  }

  /// Places of callbacks looked at to remove some, so far.
  public final long visited() {
    Subscribers list = subscribers;
    return list != null ? list.visited() : 0;
  }

  /// Whether somebody would make use of a result that comes now.
  public final boolean hasObserver() {
    return hasObserver(false);
  }

  /// Whether somebody would make use of an outcome that comes now.
  ///
  /// @param failing whether it is a failure
  public final boolean hasObserver(boolean failing) {
    for (int i = 0; i < size(); i++) {
      EventCallback callback = at(i);
      if (callback != null
          && (failing
              ? InlineCallback.acceptsFailure(callback)
              : InlineCallback.accepts(callback))) {
        return true;
      }
    }
    return false;
  }

  /// A coroutine that waited for this event goes on with what it has fired with.
  public void onConsumed() {}

  /// A wait for this event has ended with `by` instead: what it has collected is to be found there.
  public void onSuperseded(Throwable by) {}

  /// Refuses a wait on another loop.
  ///
  /// @throws IllegalStateException when this event does not belong to `loop`
  public final void checkHomeLoop(HomeLoop loop) {
    if (home != loop) {
      throw new IllegalStateException(
          info()
              + " belongs to another loop; wait for it there, and bring the outcome by a future");
    }
  }

  // ---- arming ----

  /// Counts one more who waits; the first one arms the event.
  public final void start() {
    int before = starts++;
    if (before == daemonStarts) {
      if (!isDaemon() && !isClosed()) {
        countedAsArmed = true;
        home.eventArmed();
      }
      if (before == 0) {
        arm();
      }
    }
  }

  /// Counts one less; the last one disarms it.
  ///
  /// @throws IllegalStateException when it was stopped more often than started
  public final void stop() {
    if (starts == daemonStarts) {
      throw new IllegalStateException("stopped more often than started: " + info());
    }
    if (--starts == daemonStarts) {
      settled();
      if (starts == 0) {
        disarm();
      }
    }
  }

  /// Arms it as [#start()] does, for somebody who does not wait: it keeps nobody alive.
  public final void startDaemon() {
    daemonStarts++;
    if (starts++ == 0) {
      arm();
    }
  }

  /// Ends a watch.
  public final void stopDaemon() {
    daemonStarts--;
    if (--starts == 0) {
      disarm();
    }
  }

  /// Whether somebody waits.
  protected final boolean isStarted() {
    return starts > daemonStarts;
  }

  /// Nothing more is to come: whoever has not stopped it does not keep the loop alive.
  protected final void settled() {
    if (countedAsArmed) {
      countedAsArmed = false;
      home.eventDisarmed();
    }
  }

  /// Begins to watch for what this event stands for. Lock-free; runs on the waiting coroutine's
  /// stack.
  protected void arm() {}

  /// Ends watching. Lock-free.
  protected void disarm() {}

  /// Tells a latecomer how a closed event ended.
  ///
  /// @throws IllegalStateException when it is not closed
  public void replay(EventCallback callback) {
    throw new IllegalStateException("not closed, nothing to replay: " + info());
  }

  // ---- firing ----

  /// Tells every subscriber.
  protected final void fire(@Nullable Object result, @Nullable Throwable error) {
    if (subscribers() == 0) {
      return;
    }
    if (hasUserCallback()) {
      boolean hadTaker = error != null && hasObserver(true);
      home.notifyLater(() -> {
        if (hadTaker && !hasObserver(true)) {
          onObserversGone();
        }
        fireNow(result, error);
      });
    } else {
      fireInline(result, error);
    }
  }

  private boolean hasUserCallback() {
    Subscribers list = subscribers;
    return list != null ? list.hasCustom() : !(singleCallback instanceof InlineCallback);
  }

  /// Those who were to take the failure that it has fired with have left before they were told.
  protected void onObserversGone() {}

  private void fireInline(@Nullable Object result, @Nullable Throwable error) {
    notifying++;
    try {
      // the size is read anew each turn: callbacks added meanwhile run in this pass, a user's
      // excepted
      for (int i = 0; i < size(); i++) {
        if (at(i) instanceof InlineCallback callback) {
          callback.onEvent(this, result, error);
        }
      }
    } finally {
      notifying--;
      compact();
    }
  }

  /// Tells every subscriber here and now, whoever they are, hooks first; in a coroutine of its own,
  /// or when the loop has ended.
  protected final void fireNow(@Nullable Object result, @Nullable Throwable error) {
    notifying++;
    try {
      for (int i = 0; i < size(); i++) {
        if (at(i) instanceof NotifyHook hook) {
          hook.onEvent(this, result, error);
        }
      }
      for (int i = 0; i < size(); i++) {
        EventCallback callback = at(i);
        if (callback != null && !(callback instanceof NotifyHook)) {
          callback.onEvent(this, result, error);
        }
      }
    } finally {
      notifying--;
      compact();
    }
  }
}
