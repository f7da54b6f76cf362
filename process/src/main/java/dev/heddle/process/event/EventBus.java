// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Ref;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Publishes events to the processes that subscribe to their class, within one runtime.
///
/// An event is any object. A process that subscribes to a class gets the events of that class and
/// of its subclasses as messages: those of one thread in the order in which it publishes them. The
/// bus offers an event to the mailbox of each subscriber: when that is full, the event is dropped
/// for that subscriber and counted by [#dropped]. A subscription ends with [#unsubscribe], or with
/// its process. A process that subscribes to a class and to one of its subclasses gets an event of
/// the subclass twice.
///
/// The runtime publishes [DeadLetter], [ProcessStarted] and [ProcessExited], each only while a
/// process subscribes to it.
///
/// ```java
/// runtime.events().subscribe(DeadLetter.class, logger);
/// runtime.events().publish(new OrderPaid(42));
/// ```
///
/// **Thread** any. **Suspends** never. **Cost** of an event without subscribers: a check of each
/// class that has some.
///
/// @since 0.1
public final class EventBus {
  /*
   * A table from each class to its subscribers. The entry of a class without subscribers is removed
   * under the lock of its key, in compute(). So a subscriber that comes meanwhile is in the table,
   * not in a set that was removed from it.
   *
   * A process that subscribes may have ended, or end meanwhile. The exit listener is added after
   * the entry, and is called at once for a process that has ended, so the entry does not outlive
   * its process. There is one listener for each class of a process.
   *
   * hasSubscribers() reads the table. The runtime calls it when a message is refused and when a
   * process starts or ends, and creates an event only if it returns true. It does not use
   * isEmpty(): the map counts an entry after other threads can see it and add to it.
   * [SubscriptionTest; mutant: wanted-by-count]
   *
   * Rejected. A queue and a thread for delivery: the order of one publisher would cost as much, and
   * the exit of a subscriber would be known later than here.
   */

  /// Delivers to the processes of a runtime and reports their exits. For the runtime.
  public interface Delivery {
    /// Puts an event into a mailbox; an event that is refused is no dead letter.
    SendResult offer(Pid to, Object event);

    /// The same, into the mailbox of the process that has a name.
    SendResult offer(String name, Object event);

    /// Calls a listener with the exit of a process; at once, if it has ended.
    ///
    /// @throws IllegalArgumentException when the PID is not one of this runtime
    void onExit(Pid process, Consumer<Exit> listener);

    void offExit(Pid process, Consumer<Exit> listener);

    /// Checks that a reference by name belongs to this runtime.
    ///
    /// @throws IllegalArgumentException when it belongs to another runtime
    void checkRuntime(Ref<?> to);
  }

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.event");

  private final Delivery delivery;
  private final Map<Class<?>, Map<Object, Subscriber>> subscribers = new ConcurrentHashMap<>();
  private final LongAdder dropped = new LongAdder();

  /// A receiver of events: a process, or the process that has a name at the time.
  private interface Subscriber {
    SendResult offer(Object event);

    default void leave() {}
  }

  /// A bus without subscribers. For the runtime; programs get theirs from
  /// [events()][dev.heddle.process.ProcessRuntime#events].
  public EventBus(Delivery delivery) {
    this.delivery = Objects.requireNonNull(delivery, "delivery");
  }

  /// Subscribes a process to the events of a class, until it ends.
  ///
  /// @return false when it is subscribed already
  /// @throws IllegalArgumentException when the PID is not one of this runtime
  public boolean subscribe(Class<?> events, Pid process) {
    Subscription mine = new Subscription(events, process);
    if (!add(events, mine.process, mine)) {
      return false;
    }
    try {
      delivery.onExit(process, mine.atEnd);
    } catch (Throwable t) {
      var _ = remove(events, mine.process);
      throw t;
    }
    if (!isThere(events, mine)) {
      mine.leave(); // another thread has unsubscribed it before the listener was added
    }
    return true;
  }

  private boolean isThere(Class<?> events, Subscription subscription) {
    Map<Object, Subscriber> all = subscribers.get(events);
    return all != null && all.get(subscription.process) == subscription;
  }

  /// Subscribes the process of a reference to the events of a class, which its protocol must
  /// include. A reference by name also subscribes each later process of that name, until
  /// [#unsubscribe].
  ///
  /// @return false when it is subscribed already
  /// @throws IllegalArgumentException when the reference belongs to another runtime
  public <E> boolean subscribe(Class<E> events, Ref<? super E> to) {
    delivery.checkRuntime(to);
    String name = to.name();
    if (name != null) {
      return add(events, name, event -> delivery.offer(name, event));
    }
    Pid pid = to.pid();
    return pid != null && subscribe(events, pid);
  }

  /// Ends a subscription.
  ///
  /// @return false when there is none
  public boolean unsubscribe(Class<?> events, Pid process) {
    return remove(events, process);
  }

  /// Ends a subscription of a reference.
  ///
  /// @return false when there is none
  /// @throws IllegalArgumentException when the reference is by a name of another runtime
  public boolean unsubscribe(Class<?> events, Ref<?> to) {
    delivery.checkRuntime(to);
    String name = to.name();
    if (name != null) {
      return remove(events, name);
    }
    Pid pid = to.pid();
    return pid != null && unsubscribe(events, pid);
  }

  /// Offers an event to all subscribers of its class.
  ///
  /// @return the number of mailboxes that have accepted it
  public int publish(Object event) {
    Objects.requireNonNull(event, "event");
    int accepted = 0;
    for (Map.Entry<Class<?>, Map<Object, Subscriber>> of : subscribers.entrySet()) {
      if (of.getKey().isInstance(event)) {
        for (Subscriber each : of.getValue().values()) {
          accepted += offer(each, event);
        }
      }
    }
    return accepted;
  }

  private int offer(Subscriber to, Object event) {
    if (to.offer(event).isAccepted()) {
      return 1;
    }
    dropped.increment();
    return 0;
  }

  /// Reports a message that a process cannot handle: it becomes a [DeadLetter] and is logged as a
  /// warning; an `ask` with it fails.
  ///
  /// @param by the process
  /// @param protocol the class of messages that the process handles
  public void unhandled(@Nullable Object message, Pid by, Class<?> protocol) {
    if (message instanceof Request request) {
      var _ =
          request
              .reply()
              .fail(
                  new IllegalArgumentException(
                      by
                          + " takes messages of "
                          + protocol.getName()
                          + ", asked by a Ref so that they carry their reply; it was asked "
                          + request.message())); // false when it was replied to, or given up
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "process " + by + " takes messages of " + protocol.getName() + ", and drops " + message);
    deadLetter(message, by, DeadLetter.Reason.UNHANDLED);
  }

  /// Publishes a message that was delivered to a process but not handled as a [DeadLetter]. For
  /// kinds of processes that keep messages themselves.
  ///
  /// @param by the process
  public void deadLetter(@Nullable Object message, Pid by, DeadLetter.Reason reason) {
    if (!DeadLetter.isCarriedBy(message) && hasSubscribers(DeadLetter.class)) {
      publish(new DeadLetter(message, by, null, null, reason));
    }
  }

  /// Whether a process subscribes to events of this class, so that creating one is worth it.
  public boolean hasSubscribers(Class<?> event) {
    for (Class<?> of : subscribers.keySet()) {
      if (of.isAssignableFrom(event)) {
        return true;
      }
    }
    return false;
  }

  /// The number of events that were not delivered: the mailbox was full, or no process had the
  /// name.
  public long dropped() {
    return dropped.sum();
  }

  private boolean add(Class<?> events, Object key, Subscriber subscriber) {
    boolean[] added = new boolean[1];
    subscribers.compute(
        events,
        (_, known) -> {
          Map<Object, Subscriber> all = known == null ? new ConcurrentHashMap<>() : known;
          added[0] = all.putIfAbsent(key, subscriber) == null;
          return all;
        });
    return added[0];
  }

  private boolean remove(Class<?> events, Object key) {
    var removed = new AtomicReference<@Nullable Subscriber>();
    subscribers.computeIfPresent(
        events,
        (_, all) -> {
          removed.set(all.remove(key));
          return all.isEmpty() ? null : all;
        });
    Subscriber subscriber = removed.get();
    if (subscriber == null) {
      return false;
    }
    subscriber.leave();
    return true;
  }

  private final class Subscription implements Subscriber {
    final Pid process;
    final Consumer<Exit> atEnd;

    Subscription(Class<?> events, Pid process) {
      this.process = process;
      this.atEnd = _ -> remove(events, process);
    }

    @Override
    public SendResult offer(Object event) {
      return delivery.offer(process, event);
    }

    @Override
    public void leave() {
      delivery.offExit(process, atEnd);
    }
  }
}
