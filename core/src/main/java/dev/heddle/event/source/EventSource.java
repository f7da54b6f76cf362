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

/// The implementation of an [Event]: its subscribers, arming and disarming, and firing.
public abstract non-sealed class EventSource implements Event {
  /*
   * Notification. Hooks run first, then the callbacks in the order of their subscription. The first
   * callback is kept in a field here. When a second one is added while it is there, or one is added
   * during a notification, all move to Subscribers and stay there. Subscribers keeps every index
   * stable during a notification. Swap-remove would run one callback twice and another never
   * (trap-8).
   *
   * States.  from   event                   to      what happens
   *          IDLE   start(), startDaemon()  ARMED   the first one arms
   *          ARMED  start(), startDaemon()  ARMED   later ones only count
   *          ARMED  stop(), stopDaemon()    IDLE    the last one disarms; the others only count
   *          any    the last firing         CLOSED  once; does not disarm, the remaining stops do
   *
   * Keeping the loop alive. start() counts a coroutine that waits; startDaemon() a stream or a
   * future, for which another coroutine may wait or not. An event that is not a daemon keeps the
   * loop alive while it has more starts than daemon starts: while a coroutine waits for it.
   *
   * Threads. The loop's. Other threads reach an event only through the loop's inbox.
   *
   * I1. Every callback that is subscribed when its turn comes runs exactly once per notification.
   *     [EventModelTest]
   * I2. arm() and disarm() alternate; a surplus stop of a shared event does not disarm it for
   *     others. [EventTest]
   * I3. A callback that throws ends the notification; the list stays consistent. [EventTest]
   * I4. A daemon start never changes whether the event keeps the loop alive. [EventTest]
   * I5. If an event has a user's callback, its whole notification runs in a coroutine of its own. A
   *     user's callback that is added during an inline notification is called from the next one on.
   *     [EventModelTest]
   *
   * Cost. One callback: a field; more: a list, of 4 to 8 bytes each. Subscribing and unsubscribing
   * take amortised constant time, in whatever order callbacks leave: n coroutines that wait for one
   * event are woken, timed out or cancelled in O(n). [EventCostTest]
   *
   * Sources. trap-8, trap-9, trap-10, trap-13, trap-64.
   */
  private final HomeLoop home;

  // loop only
  private @Nullable EventCallback singleCallback; // null: none, or all are in `subscribers`
  private @Nullable Subscribers subscribers; // null: never more than one so far
  private int notifying; // depth
  private int starts; // daemon starts included
  private int daemonStarts;
  private boolean countedAsArmed; // as one that keeps the loop alive

  protected EventSource(HomeLoop home) {
    this.home = home;
  }

  public final HomeLoop home() {
    return home;
  }

  public static EventSource of(Awaitable<?> awaitable) {
    return (EventSource) awaitable.event();
  }

  @Override
  public final EventSource event() {
    return this;
  }

  /// The coroutines that must act (end, release, complete) before this event can fire. Reports name
  /// them and look for cycles among them; empty if unknown.
  public Collection<? extends Awaitable<?>> holders() {
    return List.of();
  }

  /// The class by which observers name what coroutines wait for; that of the object that a user
  /// knows, where this event is only a part of it.
  public Class<?> kind() {
    return getClass();
  }

  /// What coroutines wait for: the same object for all that wait for the same. It is this event,
  /// unless each waiter has an event of its own.
  public Object awaited() {
    return this;
  }

  /// As [#info()], in constant time: for observers that look each second.
  public String brief() {
    return info();
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

  /// Adds a callback after the existing ones. It does not keep the loop alive: [#start()] does.
  ///
  /// @return its index, for [#unsubscribe(EventCallback, int)]; an [InlineCallback] is notified
  ///   when the index changes
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
  /// **Cost** amortised constant for a user's callback; for an [InlineCallback] if `place` is the
  /// index of which it was last notified.
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

  public final int subscribers() {
    Subscribers list = subscribers;
    return list != null ? list.live() : size();
  }

  /// The number of list entries visited so far to remove callbacks.
  public final long visited() {
    Subscribers list = subscribers;
    return list != null ? list.visited() : 0;
  }

  public final boolean hasObserver() {
    return hasObserver(false);
  }

  /// Whether a subscriber would accept an outcome now: a failure if `failing`.
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

  /// Whether the result with which it has fired cannot be undone: it beats a deadline, a token and
  /// a cancellation that come before the coroutine has continued. The cancellation stays pending.
  public boolean isFinal() {
    return false;
  }

  /// Called when a coroutine that waited for this event resumes with its outcome.
  public void onConsumed() {}

  /// Called when a wait for this event ended with `by` instead: failures collected so far go to the
  /// report of `by`.
  public void onSuperseded(Throwable by) {}

  /// Throws if this event does not belong to `loop`.
  public final void checkHomeLoop(HomeLoop loop) {
    if (home != loop) {
      throw new IllegalStateException(
          info()
              + " belongs to another loop; wait for it there, and bring the outcome by a future");
    }
  }

  // ---- arming ----

  public final void start() {
    int before = starts++;
    if (before == daemonStarts) {
      if (!isDaemon() && !isClosed()) {
        countedAsArmed = true;
        home.eventArmed();
      }
      if (before == 0) {
        arm();
        return;
      }
    }
    if (before > 0) {
      rearm();
    }
  }

  /// Ends a [#start()]; the last stop disarms the event, and a further one throws.
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

  /// Counts a listener that does not keep the loop alive. Arms as [#start()] does.
  public final void startDaemon() {
    daemonStarts++;
    if (starts++ == 0) {
      arm();
    } else {
      rearm();
    }
  }

  public final void stopDaemon() {
    daemonStarts--;
    if (--starts == 0) {
      disarm();
    }
  }

  protected final boolean isStarted() {
    return starts > daemonStarts;
  }

  /// Called when nothing more will come: remaining starts no longer keep the loop alive.
  protected final void settled() {
    if (countedAsArmed) {
      countedAsArmed = false;
      home.eventDisarmed();
    }
  }

  /// Starts the underlying operation (a timer, a readiness registration). Lock-free; runs on the
  /// waiting coroutine's stack.
  protected void arm() {}

  /// Called for each start beside others. Starts the underlying operation again if it has ended:
  /// the others may be those that it has woken, and that have not stopped yet. Otherwise as
  /// [#arm()].
  protected void rearm() {}

  /// Stops the underlying operation. Lock-free.
  protected void disarm() {}

  /// Calls a late subscriber with the outcome of a closed event; by default it has neither a result
  /// nor an error.
  ///
  /// @throws IllegalStateException when it is not closed
  public void replay(EventCallback callback) {
    if (!isClosed()) {
      throw new IllegalStateException("not closed, nothing to replay: " + info());
    }
    callback.onEvent(this, null, null);
  }

  // ---- firing ----

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

  /// Called when the subscribers that would have observed a failure have left before they were
  /// notified.
  protected void onObserversGone() {}

  private void fireInline(@Nullable Object result, @Nullable Throwable error) {
    notifying++;
    try {
      // size() is read in each iteration: inline callbacks added meanwhile run in this pass
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

  /// Notifies every subscriber directly, hooks first, whatever their kind. To be called in a
  /// coroutine of its own, or after the loop has ended.
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
