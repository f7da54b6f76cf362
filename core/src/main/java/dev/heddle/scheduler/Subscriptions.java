// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The subscriptions of one wait: its events, the role of each, and which of them have fired.
abstract class Subscriptions implements InlineCallback {
  /*
   * Life. The events of a wait are subscribed (nothing is armed yet), then armed one by one until
   * one has fired, then dropped: every event that was started is stopped exactly once. An event
   * that has fired for the last time is replayed instead of armed.
   *
   * Order. The awaited events are armed before the events that only bound the wait (a token, a
   * deadline), in the order of subscription. So a result that is already there is not lost to an
   * expired deadline. An event that is subscribed in two roles counts as awaited.
   *
   * Cost. Two subscriptions are inline, without allocation: enough for a wait with a deadline.
   * Further ones are one object each. There is an index from nine on, so that ten thousand stay
   * linear. Each subscription knows its index at its event, also after it has moved there, and is
   * removed without a search.
   *
   * Rejected. A callback object per subscription: 24 B and an allocation for each wait. Dropping
   * the other subscriptions inside the notification: events that fire in the same tick could not be
   * recorded as triggered.
   */

  /// How an event wakes the coroutine.
  public enum Role {
    /// With the event's result or error.
    RESOLVE(0),
    /// With a [dev.heddle.WaitCancelledException] whose cause is the event's error, if any.
    CANCEL(1),
    /// With a [dev.heddle.DeadlineException].
    TIMEOUT(2);

    final byte code;

    Role(int code) {
      this.code = (byte) code;
    }
  }

  private static final byte RESOLVES = Role.RESOLVE.code;
  private static final byte FIRED = 8; // a flag in the byte of a role

  private static final int INDEXED_FROM = 9; // a scan of eight costs less

  // loop only
  // two inline subscriptions: event, its index at the event (-1: not armed), role
  private @Nullable EventSource first;
  private @Nullable EventSource second;
  private int firstPlace = -1;
  private int secondPlace = -1;
  private byte firstRole; // with FIRED once it has
  private byte secondRole;
  private @Nullable More more;

  /// An event with one of the standard roles has fired.
  abstract void wakeAs(byte role, @Nullable Object value, @Nullable Throwable failure);

  /// Whether an event that ends the wait has fired.
  abstract boolean isWoken();

  // ---- views ----

  /// The events that have fired for the current wait, in the order of subscription.
  public final List<EventSource> triggeredEvents() {
    return eventsWhere(true);
  }

  /// The events of the current wait, in the order of subscription.
  public final List<EventSource> awaitedEvents() {
    return eventsWhere(false);
  }

  /// The first event of the current wait; null: none.
  public final @Nullable EventSource firstAwaited() {
    return first != null ? first : more != null ? more.first() : second;
  }

  /// Whether one of several events is awaited, so that the first one need not be the one that ends
  /// the wait. Those that only bound the wait do not count.
  public final boolean awaitsSeveral() {
    int awaited = first != null && roleIn(firstRole) == RESOLVES ? 1 : 0;
    awaited += second != null && roleIn(secondRole) == RESOLVES ? 1 : 0;
    return awaited + (more == null ? 0 : more.awaited()) > 1;
  }

  private List<EventSource> eventsWhere(boolean firedOnly) {
    List<EventSource> found = new ArrayList<>();
    if (first != null && (hasFired(firstRole) || !firedOnly)) {
      found.add(first);
    }
    if (second != null && (hasFired(secondRole) || !firedOnly)) {
      found.add(second);
    }
    if (more != null) {
      more.collect(found, firedOnly);
    }
    return found;
  }

  /// The awaited event, for messages.
  final String describeAwaited() {
    String others = more == null ? "nothing else" : more.describeAwaited();
    return first == null ? others : first.info();
  }

  final boolean hasSubscriptions() {
    return first != null || second != null || more != null;
  }

  /// The inline event that has fired in a role; the first one, if both have.
  final @Nullable EventSource firedAs(Role role) {
    int fired = role.code | FIRED;
    return firstRole == fired ? first : secondRole == fired ? second : null;
  }

  private static boolean hasFired(byte role) {
    return (role & FIRED) != 0;
  }

  private static byte roleIn(byte role) {
    return (byte) (role & ~FIRED);
  }

  // ---- subscribing ----

  final void subscribe(EventSource event, Role role) {
    byte asked = role.code;
    if (first == null) {
      first = event;
      firstRole = asked;
      if (second == event) {
        second = null;
      }
    } else if (first == event) {
      firstRole = stronger(firstRole, asked);
    } else if (second == event) {
      secondRole = stronger(secondRole, asked);
    } else if (second == null) {
      second = event;
      secondRole = asked;
    } else {
      more().add(new Subscription(event, asked, null));
    }
  }

  private static byte stronger(byte role, byte asked) {
    return asked == RESOLVES ? asked : role;
  }

  /// Subscribes a callback that itself calls `resolve` or `fail` of the waker.
  public final void resumeWhen(EventSource event, EventCallback callback) {
    more().add(new Subscription(event, RESOLVES, callback));
  }

  /// Bounds the coming wait. The first inline slot stays free for the awaited event.
  final void bound(EventSource event, Role role) {
    if (second == null) {
      second = event;
      secondRole = role.code;
    } else {
      more().add(new Subscription(event, role.code, null));
    }
  }

  private More more() {
    More m = more;
    if (m == null) {
      m = new More();
      more = m;
    }
    return m;
  }

  // ---- armed and dropped ----

  /// Arms one event after the other until one has fired.
  final void arm() {
    if (first != null) {
      firstPlace = armOne(first, this);
    }
    boolean bounds = secondRole != RESOLVES;
    if (!bounds) {
      armSecond();
    }
    if (more != null) {
      more.arm(false);
    }
    if (bounds) {
      armSecond();
    }
    if (more != null) {
      more.arm(true);
    }
  }

  private void armSecond() {
    if (second != null && !isWoken()) {
      secondPlace = armOne(second, this);
    }
  }

  private static int armOne(EventSource event, EventCallback callback) {
    if (event.isClosed()) {
      event.replay(callback);
      return -1;
    }
    int place = event.add(callback);
    event.start();
    return place;
  }

  /// The event of an inline subscription has fired.
  @Override
  public final void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
    if (event == first) {
      wakeAs(roleIn(firstRole), value, failure);
      firstRole |= FIRED;
    } else if (event == second) {
      wakeAs(roleIn(secondRole), value, failure);
      secondRole |= FIRED;
    }
  }

  @Override
  public final void moved(Event event, int place) {
    if (event == first) {
      firstPlace = place;
    } else if (event == second) {
      secondPlace = place;
    }
  }

  /// Stops every event that was started for the last wait, exactly once.
  final void disarmAll() {
    if (first != null) {
      disarmOne(first, firstPlace, this);
      first = null;
      firstPlace = -1;
    }
    if (second != null) {
      disarmOne(second, secondPlace, this);
      second = null;
      secondPlace = -1;
    }
    if (more != null) {
      more.disarm();
      more = null;
    }
  }

  private static void disarmOne(EventSource event, int place, EventCallback callback) {
    if (place >= 0) {
      event.unsubscribe(callback, place);
      event.stop();
    }
  }

  /// A subscription beyond the two inline ones, and every custom one.
  private final class Subscription implements InlineCallback {
    final EventSource event;
    final @Nullable EventCallback custom;
    // a user's callback must not run inline, so it is wrapped in one that is no InlineCallback
    final EventCallback callback;
    byte role;
    int place = -1;
    boolean fired;

    Subscription(EventSource event, byte role, @Nullable EventCallback custom) {
      this.event = event;
      this.role = role;
      this.custom = custom;
      this.callback = custom == null || custom instanceof InlineCallback ? this : this::custom;
    }

    private void custom(Event source, @Nullable Object value, @Nullable Throwable failure) {
      fired = true;
      if (custom != null) {
        custom.onEvent(source, value, failure);
      }
    }

    @Override
    public boolean accepts() {
      return custom instanceof InlineCallback inline
          ? inline.accepts()
          : Subscriptions.this.accepts();
    }

    @Override
    public boolean acceptsFailure() {
      return custom instanceof InlineCallback inline
          ? inline.acceptsFailure()
          : Subscriptions.this.acceptsFailure();
    }

    @Override
    public void moved(Event from, int to) {
      place = to;
    }

    @Override
    public void onEvent(Event source, @Nullable Object value, @Nullable Throwable failure) {
      if (custom != null) {
        custom(source, value, failure);
        return;
      }
      fired = true;
      wakeAs(role, value, failure);
    }
  }

  /// The subscriptions beyond the two inline ones.
  private final class More {
    private final List<Subscription> list = new ArrayList<>();
    private @Nullable IdentityHashMap<EventSource, Subscription> index;

    void add(Subscription added) {
      Subscription there = added.custom == null ? find(added.event) : null;
      if (there != null) {
        there.role = stronger(there.role, added.role);
        return;
      }
      list.add(added);
      if (added.custom != null) {
        return;
      }
      if (index != null) {
        index.put(added.event, added);
      } else if (list.size() >= INDEXED_FROM) {
        index = new IdentityHashMap<>();
        for (Subscription s : list) {
          if (s.custom == null) {
            index.put(s.event, s);
          }
        }
      }
    }

    // a custom callback does not replace the standard one of the same event
    private @Nullable Subscription find(EventSource event) {
      if (index != null) {
        return index.get(event);
      }
      for (Subscription s : list) {
        if (s.event == event && s.custom == null) {
          return s;
        }
      }
      return null;
    }

    void arm(boolean bounds) {
      for (Subscription s : list) {
        if (isWoken()) {
          return;
        }
        if (bounds == (s.role != RESOLVES)) {
          s.place = armOne(s.event, s.callback);
        }
      }
    }

    void disarm() {
      for (Subscription s : list) {
        disarmOne(s.event, s.place, s.callback);
      }
    }

    @Nullable EventSource first() {
      return list.isEmpty() ? second : list.getFirst().event;
    }

    int awaited() {
      int found = 0;
      for (Subscription s : list) {
        found += roleIn(s.role) == RESOLVES ? 1 : 0;
      }
      return found;
    }

    String describeAwaited() {
      for (Subscription s : list) {
        if (s.role == RESOLVES) {
          return s.event.info();
        }
      }
      return "nothing else";
    }

    void collect(List<EventSource> into, boolean firedOnly) {
      for (Subscription s : list) {
        if (s.fired || !firedOnly) {
          into.add(s.event);
        }
      }
    }
  }
}
