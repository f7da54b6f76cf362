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
/// stream offers an event to the mailbox of each subscriber: when that is full, the event is
/// dropped for that subscriber and counted by [#dropped]. A subscription ends with [#unsubscribe],
/// or with its process. A process that subscribes to a class and to one of its subclasses gets an
/// event of the subclass twice.
///
/// The runtime publishes [DeadLetter], [ProcessStarted] and [ProcessEnded], each only while a
/// process subscribes to it.
///
/// ```java
/// runtime.events().subscribe(DeadLetter.class, logger);
/// runtime.events().publish(new OrderPaid(42));
/// ```
///
/// **Thread** any. **Suspends** never. **Cost** of an event without subscribers: a look at each
/// class that has some.
///
/// @since 0.1
public final class EventBus {
  /*
   * A table from each class to those that subscribe to it. An entry of a class that nobody
   * subscribes to any more is taken out under the lock of that key, in compute(): so a subscriber
   * that comes meanwhile is in the table, not in a set that has left it.
   *
   * A process that subscribes may have ended, or end meanwhile. The exit's listener is added after
   * the entry: it is called at once for a process that has ended, so the entry does not outlive
   * its process. One listener for each class of a process.
   *
   * hasSubscribers() reads the table: the runtime asks it where a message is refused, a process
   * starts or ends, and makes no event else. It does not ask whether the table is empty: that
   * counts an entry after others can see it and add to it. [SubscriptionTest; mutant:
   * wanted-by-count]
   *
   * Rejected. A queue and a thread for delivery: the order of one publisher would need no less,
   * and an end would be told later than the mailbox is offered it here.
   */

  /// Delivers to the processes of a runtime and tells of their ends. For the runtime.
  public interface Delivery {
    /// Puts an event into a mailbox; makes no dead letter of it.
    SendResult offer(Pid to, Object event);

    /// The same, into the mailbox of the process that has a name.
    SendResult offer(String name, Object event);

    /// Lets code be told of an end, at once when the process has ended.
    ///
    /// @throws IllegalArgumentException when the address is not one of a process of this runtime
    void onExit(Pid process, Consumer<Exit> listener);

    /// Forgets that code.
    void offExit(Pid process, Consumer<Exit> listener);

    /// Checks that a reference by name means a name of this runtime.
    ///
    /// @throws IllegalArgumentException when it is one of another runtime
    void checkRuntime(Ref<?> to);
  }

  private static final System.Logger LOG = System.getLogger("dev.heddle.process.event");

  private final Delivery delivery;
  private final Map<Class<?>, Map<Object, Subscriber>> subscribers = new ConcurrentHashMap<>();
  private final LongAdder dropped = new LongAdder();

  /// Gets events: a process, or the process that has a name at the time.
  private interface Subscriber {
    SendResult offer(Object event);

    default void leave() {}
  }

  /// A stream without subscribers. Users get theirs from
  /// [events()][dev.heddle.process.ProcessRuntime#events].
  public EventBus(Delivery delivery) {
    this.delivery = Objects.requireNonNull(delivery, "delivery");
  }

  /// Lets a process get the events of a class, until it ends.
  ///
  /// @return false when it does already
  /// @throws IllegalArgumentException when the address is not one of a process of this runtime
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
      mine.leave(); // another thread has ended it meanwhile, before there was a listener to forget
    }
    return true;
  }

  private boolean isThere(Class<?> events, Subscription subscription) {
    Map<Object, Subscriber> all = subscribers.get(events);
    return all != null && all.get(subscription.process) == subscription;
  }

  /// Lets the process to which a reference leads get the events of a class, which its protocol must
  /// include. By a name: also the next process that has it, until [#unsubscribe].
  ///
  /// @return false when it does already
  /// @throws IllegalArgumentException when the reference leads into another runtime
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
  /// @throws IllegalArgumentException when the reference looks up a name in another runtime
  public boolean unsubscribe(Class<?> events, Ref<?> to) {
    delivery.checkRuntime(to);
    String name = to.name();
    if (name != null) {
      return remove(events, name);
    }
    Pid pid = to.pid();
    return pid != null && unsubscribe(events, pid);
  }

  /// Offers an event to all who subscribe to its class.
  ///
  /// @return how many have accepted it
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

  /// A process does not know what to do with a message, and says so: that is a [DeadLetter], logged
  /// as a warning; an `ask` with it fails.
  ///
  /// @param by the process
  /// @param protocol the class of messages that it takes
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
                          + request.message())); // or it is answered, or given up
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "process " + by + " takes messages of " + protocol.getName() + ", and drops " + message);
    deadLetter(message, by, DeadLetter.Reason.UNHANDLED);
  }

  /// Publishes a message as a [DeadLetter] that a process was given, and does not handle. For kinds
  /// of processes that keep messages of their own.
  ///
  /// @param by the process
  public void deadLetter(@Nullable Object message, Pid by, DeadLetter.Reason reason) {
    if (!DeadLetter.isCarriedBy(message) && hasSubscribers(DeadLetter.class)) {
      publish(new DeadLetter(message, by, null, null, reason));
    }
  }

  /// Whether a process subscribes to events of this class: for those who would make one only then.
  public boolean hasSubscribers(Class<?> event) {
    for (Class<?> of : subscribers.keySet()) {
      if (of.isAssignableFrom(event)) {
        return true;
      }
    }
    return false;
  }

  /// How many events were not delivered: the mailbox was full, or nobody had the name.
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

  /// The subscription of one process to one class.
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
