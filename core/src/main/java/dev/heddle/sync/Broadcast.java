// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.EventsLostException;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.ClosedChannels;
import dev.heddle.internal.InWords;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A channel whose items each of several readers receives.
///
/// {@snippet class=dev.heddle.snippets.SyncSnippetsTest region=broadcast}
///
/// A reader is a [Subscription]. It receives every item that was sent after [#subscribe()], in the
/// order of sending. Items are held until all readers have received them, up to the capacity. When
/// the slowest reader is so far behind, the [Overflow] policy decides: a reader loses the oldest
/// item, and is told so, or the sender waits. Without readers, items go nowhere and nothing waits.
///
/// [#close()] ends the sending: readers get what is left for them, and then a
/// [ChannelClosedException]; a loop over a subscription ends.
///
/// **Thread** the loop on which it was created. **Order** senders are served in the order of
/// arrival; nothing overtakes a waiting one. **Cancelled** nothing is lost and nothing is sent
/// twice: a send that throws has sent nothing; an item stays until `receive()` returns it. **Cost**
/// a send is linear in the number of readers that wait at that moment; a receive takes constant
/// time.
///
/// @param <T> the type of the items
/// @since 0.1
public final class Broadcast<T> implements AutoCloseable {
  /*
   * Items have numbers. The ring holds those from `oldest` to `next - 1`, and for each how many
   * subscriptions have not received it yet. A subscription has the number of the item that it
   * receives next.
   *
   *   from      event                                        to        who
   *   -         send(), no subscription                      -         the sender
   *   -         send(), the ring has room, or LAG            held      the sender
   *   -         send(), it has none, SUSPEND                 with it   the sender, which waits
   *   with it   room                                         held      the reader that made it
   *   with it   close(), cancellation, deadline, token       -         the sender keeps it: its
   *                                                                    send() throws
   *   held      the last subscription received it, or        -         the reader
   *             has been closed
   *   held      send(), the ring is full, LAG                -         the sender; the readers that
   *                                                                    it was left for have lost it
   *
   * A reader is not handed an item: it waits for an event, and then looks at the ring. An item is
   * received when receive() returns it. So a reader whose wait ends otherwise has lost nothing.
   *
   * The item of a waiting sender moves when there is room for it, not when the sender continues.
   * From then on readers may receive it, so the send has succeeded, and nothing may make it throw:
   * the sender is served finally (WaitQueue).
   *
   * Threads. The loop's.
   *
   * I1. Each subscription receives or is told that it has lost each item that was sent between its
   *     opening and its closing, once and in order. [BroadcastModelTest]
   * I2. While a sender waits, the ring is full, and the policy is SUSPEND. [BroadcastModelTest]
   * I3. Each item in the ring is left for at least one subscription: one that has received an item,
   *     or was opened after it, has received all older ones, too, or they are not for it.
   *     [BroadcastModelTest]
   *
   * Rejected. A queue for each reader. A search for the slowest reader at each receive.
   *
   * Sources. trap-1, trap-4, trap-7; Tokio's broadcast, Kotlin's SharedFlow.
   */

  /// What happens when the slowest reader is as many items behind as the capacity.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=subscription}
  ///
  /// @since 0.1
  public enum Overflow {
    /// The oldest item is dropped. The reader's next receive throws an [EventsLostException] with
    /// the number of items that it has lost; the one after it goes on behind the gap.
    LAG,
    /// The sender waits until the reader has received its oldest item, or is closed.
    SUSPEND,
  }

  private static final int FIRST_RING = 64; // slots: 512 bytes

  private final Scheduler home;
  private final @Nullable String name;
  private final int capacity;
  private final Overflow overflow;
  private final Sent sent;
  private final Senders senders;

  // loop only
  private final Set<Subscription<T>> subscriptions = new LinkedHashSet<>();
  private @Nullable Object[] items; // grows up to the capacity
  private int[] left; // for how many subscriptions
  private long oldest;
  private long next;
  private boolean closed;
  private Reason reason = Reason.CLOSED;
  private @Nullable String closedBy; // null: by no coroutine
  private @Nullable ScopeBinding bindings; // of closeWith()
  private @Nullable Throwable cause;

  private Broadcast(@Nullable String name, int capacity, Overflow overflow) {
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "a broadcast holds at least one item, not " + capacity + ", for its readers to receive");
    }
    this.home = CoroutineNode.current().scheduler();
    this.name = name;
    this.overflow = Objects.requireNonNull(overflow, "overflow");
    this.capacity = capacity;
    this.items = new Object[Math.min(capacity, FIRST_RING)];
    this.left = new int[items.length];
    this.sent = new Sent();
    this.senders = new Senders();
  }

  /// A broadcast of the current loop.
  ///
  /// @param capacity how many items a reader may be behind, at least 1
  /// @throws IllegalStateException outside a coroutine
  public static <T> Broadcast<T> of(int capacity, Overflow overflow) {
    return new Broadcast<>(null, capacity, overflow);
  }

  /// A broadcast as by [#of(int, Overflow)], with a name for reports.
  public static <T> Broadcast<T> of(String name, int capacity, Overflow overflow) {
    return new Broadcast<>(Objects.requireNonNull(name, "name"), capacity, overflow);
  }

  // ---- sending ----

  /// Sends an item to all readers. **Suspends** with [Overflow#SUSPEND] while the slowest reader is
  /// as many items behind as the capacity; else only to let others run at every 64th call.
  ///
  /// @throws ChannelClosedException when it is closed; the item was not sent
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits; the item was
  ///   not sent. A cancellation that comes after that is thrown at the next suspension point
  /// @throws IllegalStateException when it belongs to another loop
  public void send(T item) {
    send(item, Deadline.never(), null);
  }

  /// Sends an item, but waits no longer than a deadline. Otherwise as [#send(Object)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; the item was not sent
  public void send(T item, Deadline deadline) {
    send(item, deadline, null);
  }

  /// Sends an item, but waits no longer than until `token` fires. Otherwise as [#send(Object)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; the item was not sent
  public void send(T item, Awaitable<?> token) {
    send(item, Deadline.never(), EventSource.of(token));
  }

  private void send(T item, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    home.consumeBudget(self); // first: it may throw
    if (accept(item)) {
      return;
    }
    Waiter waiter = new Waiter(senders, home, item);
    try {
      senders.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      if (home.hasEnded() || !waiter.isServed() || waiter.item() != null) {
        leave(waiter);
        throw e;
      }
      SentSender.met(e, self, describe());
    }
    if (waiter.item() != null) {
      throw takesNoMore();
    }
  }

  private void leave(Waiter sender) {
    if (!home.hasEnded()) {
      senders.remove(sender);
    }
  }

  /// Sends an item if that needs no wait. **Suspends** never.
  ///
  /// @return whether the item was sent
  /// @throws ChannelClosedException when it is closed
  /// @throws IllegalStateException when it belongs to another loop
  public boolean trySend(T item) {
    current();
    return accept(item);
  }

  private boolean accept(T item) {
    Objects.requireNonNull(item, "item");
    if (closed) {
      throw takesNoMore();
    }
    if (isFull() && overflow == Overflow.SUSPEND) {
      return false;
    }
    sent.requireRoom(); // first: an overflow half-way would leave a reader that never wakes
    if (isFull()) {
      dropOldest();
    }
    append(item);
    sent.notifyReaders();
    return true;
  }

  private boolean isFull() {
    return next - oldest == capacity;
  }

  private void append(Object item) {
    if (!subscriptions.isEmpty()) {
      if (next - oldest == items.length) {
        grow();
      }
      items[at(next)] = item;
      left[at(next)] = subscriptions.size();
      next++;
    }
  }

  private void dropOldest() {
    items[at(oldest)] = null;
    oldest++;
  }

  private void grow() {
    int slots = (int) Math.min(capacity, 2L * items.length);
    @Nullable Object[] moreItems = new Object[slots];
    int[] moreLeft = new int[slots];
    for (long i = oldest; i < next; i++) {
      moreItems[(int) (i % slots)] = items[at(i)];
      moreLeft[(int) (i % slots)] = left[at(i)];
    }
    items = moreItems;
    left = moreLeft;
  }

  private int at(long number) {
    return (int) (number % items.length);
  }

  // ---- receiving ----

  /// Subscribes to what is sent from now on. After [#close()], there is nothing to receive.
  ///
  /// @return to be closed by the reader: with [Overflow#SUSPEND], a reader that neither receives
  ///   nor closes holds up the senders
  /// @throws IllegalStateException when it belongs to another loop
  public Subscription<T> subscribe() {
    CoroutineNode<?> self = current();
    Subscription<T> subscription = new Subscription<>(this, self, next);
    subscriptions.add(subscription);
    if (!closed) {
      home.futures().opened(subscription);
    }
    return subscription;
  }

  /// A reader of a [Broadcast]. For one coroutine at a time.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=subscription}
  ///
  /// @param <T> the type of the items
  /// @since 0.1
  public static final class Subscription<T> implements Iterable<T>, AutoCloseable {
    private final Broadcast<T> of;

    // loop only
    private CoroutineNode<?> reader; // the last one; at first the subscriber
    private long next; // the number of the item that it receives next
    private long lost;
    private boolean waiting;
    private boolean closed;

    private Subscription(Broadcast<T> of, CoroutineNode<?> subscriber, long next) {
      this.of = of;
      this.reader = subscriber;
      this.next = next;
    }

    /// Receives the next item. **Suspends** while there is none.
    ///
    /// @throws EventsLostException when items were lost here; the next call goes on behind the gap
    /// @throws ChannelClosedException when the broadcast is closed and nothing is left, or this
    ///   subscription is closed
    /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits
    /// @throws IllegalStateException when another coroutine waits in this subscription, or it
    ///   belongs to another loop
    public T receive() {
      return received(Deadline.never(), null);
    }

    /// Receives the next item, but waits no longer than a deadline. Otherwise as [#receive()].
    ///
    /// @throws dev.heddle.DeadlineException when the deadline runs out first
    public T receive(Deadline deadline) {
      return received(deadline, null);
    }

    /// Receives the next item, but waits no longer than until `token` fires. Otherwise as
    /// [#receive()].
    ///
    /// @throws dev.heddle.WaitCancelledException when the token fires first
    public T receive(Awaitable<?> token) {
      return received(Deadline.never(), EventSource.of(token));
    }

    private T received(Deadline deadline, @Nullable EventSource token) {
      awaitItem(deadline, token);
      T item = take();
      if (item == null) {
        throw nothingLeft();
      }
      return item;
    }

    /// Receives the next item, if there is one. **Suspends** never.
    ///
    /// @return the item; null when there is none now
    /// @throws EventsLostException when items were lost here; the next call goes on behind the gap
    /// @throws ChannelClosedException when the broadcast is closed and nothing is left, or this
    ///   subscription is closed
    public @Nullable T tryReceive() {
      of.current();
      T item = take();
      if (item == null && isAtEnd()) {
        throw nothingLeft();
      }
      return item;
    }

    private void awaitItem(Deadline deadline, @Nullable EventSource token) {
      CoroutineNode<?> self = of.current();
      begin(self); // the budget may switch, too
      try {
        of.home.consumeBudget(self); // first: it may throw
        while (!isReady()) {
          self.renewWithTimeout(deadline, token);
          self.resumeWhen(of.sent);
          var _ = of.home.suspend(self);
        }
      } finally {
        end();
      }
    }

    /// A wait of `self` begins.
    void begin(CoroutineNode<?> self) {
      if (waiting) {
        throw new IllegalStateException(
            "another coroutine, %s, waits in this subscription to %s; subscribe for each"
                .formatted(reader.describe(), of.describe()));
      }
      reader = self;
      waiting = true;
    }

    /// The wait is over.
    void end() {
      waiting = false;
    }

    /// What it waits for: when that fires, it may be ready.
    EventSource sent() {
      return of.sent;
    }

    /// Whether a receive needs no wait.
    boolean isReady() {
      return next != of.next || isAtEnd();
    }

    /// Receives the next item, if there is one, for a select.
    @Nullable T poll() {
      of.current();
      return take();
    }

    boolean isAtEnd() {
      return closed || of.closed;
    }

    // null: there is none
    private @Nullable T take() {
      if (closed || next == of.next) {
        return null;
      }
      if (next < of.oldest) {
        throw skipGap();
      }
      T item = of.take(next);
      next++;
      return item;
    }

    private EventsLostException skipGap() {
      long count = of.oldest - next;
      next = of.oldest;
      lost += count;
      return new EventsLostException(
          ("%s items were lost here, because this reader of %s was more than %s behind; receive"
                  + " faster, or make it with a larger capacity or Overflow.SUSPEND")
              .formatted(count, of.describe(), of.capacity),
          count);
    }

    ChannelClosedException nothingLeft() {
      return closed
          ? new ChannelClosedException(
              "this subscription to "
                  + of.describe()
                  + " was closed; subscribe again to receive what is sent from then on",
              Reason.CLOSED,
              null)
          : of.closedException(", and nothing is left for this reader; stop receiving");
    }

    /// The items until the broadcast or the subscription is closed and nothing is left. `hasNext()`
    /// **suspends** while there is no item.
    ///
    /// The loop ends without an exception when it was closed by `close()` or with its scope;
    /// otherwise `hasNext()` throws the [ChannelClosedException]. `next()` throws an
    /// [EventsLostException] in place of lost items.
    @Override
    public Iterator<T> iterator() {
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          awaitItem(Deadline.never(), null);
          boolean more = !closed && next != of.next;
          if (!more && !closed && of.cause != null) {
            throw nothingLeft();
          }
          return more;
        }

        @Override
        public T next() {
          T item = hasNext() ? take() : null;
          if (item == null) {
            throw new NoSuchElementException("nothing is left in " + of.describe());
          }
          return item;
        }
      };
    }

    /// The items as [#iterator()] receives them, as a sequential stream to be used on this loop.
    public Stream<T> stream() {
      int ordered = Spliterator.ORDERED | Spliterator.NONNULL;
      return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), ordered), false);
    }

    /// How many items it could receive without waiting.
    public int size() {
      return closed ? 0 : (int) (of.next - Math.max(next, of.oldest));
    }

    /// How many items it has lost so far, as far as it has been told.
    public long lost() {
      return lost;
    }

    /// Unsubscribes. What was not received goes nowhere; a reader that waits gets a
    /// [ChannelClosedException], and senders that wait for this reader go on. **Suspends** never.
    @Override
    public void close() {
      of.current();
      of.unsubscribe(this);
    }

    @Override
    public String toString() {
      return "a subscription to " + of.describe();
    }
  }

  @SuppressWarnings("unchecked") // only a T is sent
  private T take(long number) {
    StackGuard.requireRoom(); // an overflow half-way would lose the item
    T item = (T) Objects.requireNonNull(items[at(number)]);
    if (--left[at(number)] == 0) {
      assert number == oldest; // I3
      dropOldest();
      admit();
    }
    return item;
  }

  private void unsubscribe(Subscription<T> subscription) {
    if (subscription.closed) {
      return;
    }
    StackGuard.requireRoom();
    subscription.closed = true;
    subscriptions.remove(subscription);
    home.futures().closed(subscription);
    for (long i = Math.max(subscription.next, oldest); i < next; i++) {
      left[at(i)]--;
    }
    while (oldest < next && left[at(oldest)] == 0) {
      dropOldest();
    }
    if (subscription.waiting) {
      sent.notifyReaders(); // the others wait again
    }
    admit();
  }

  // the senders that wait, as far as there is room
  private void admit() {
    boolean any = false;
    while (!isFull()) {
      Waiter sender = senders.poll();
      if (sender == null) {
        break;
      }
      Object item = sender.item();
      if (item != null) {
        append(item);
      }
      sender.serveFinally();
      any = true;
    }
    if (any) {
      sent.notifyReaders();
    }
  }

  // ---- closing ----

  /// Ends the sending. Readers can still receive what is left for them. Senders that wait get a
  /// [ChannelClosedException]. **Suspends** never; a second call does nothing.
  @Override
  public void close() {
    end(Reason.CLOSED, null, current());
  }

  /// Ends the sending because of a failure, which becomes the cause of each
  /// [ChannelClosedException]. A loop over a subscription throws it, after the items that are left.
  public void close(Throwable failure) {
    end(Reason.CLOSED, Objects.requireNonNull(failure, "failure"), current());
  }

  /// Closes it when a scope has ended. Readers can still receive what is left for them. The root
  /// scope ends with its loop, when nothing can wait for the broadcast any more.
  ///
  /// @return this broadcast
  /// @throws IllegalStateException when it or the scope belongs to another loop
  public Broadcast<T> closeWith(Scope scope) {
    current();
    if (!closed) {
      Runnable end = () -> end(Reason.SCOPE_ENDED, null, null);
      bindings = ScopeBinding.bind(scope, home, () -> endInTick(end), bindings);
    }
    return this;
  }

  // made before: the linking of a lambda takes more stack than there may be
  private void endInTick(Runnable end) {
    try {
      end.run();
    } catch (StackOverflowError _) {
      home.runOnCarrier(end); // nothing has changed so far
    }
  }

  private void end(Reason why, @Nullable Throwable failure, @Nullable CoroutineNode<?> closer) {
    if (closed) {
      return;
    }
    StackGuard.requireRoom();
    closed = true;
    reason = why;
    closedBy = closer == null ? null : closer.label();
    cause = failure;
    for (Waiter sender = senders.poll(); sender != null; sender = senders.poll()) {
      sender.serve(sender.item(), 0); // it keeps its item, and by that knows
    }
    sent.notifyReaders();
    ScopeBinding bound = bindings;
    bindings = null;
    ScopeBinding.release(bound);
    for (Subscription<T> subscription : subscriptions) {
      home.futures().closed(subscription);
    }
  }

  /// Whether it was closed; items may be left for readers.
  public boolean isClosed() {
    return closed;
  }

  private ChannelClosedException takesNoMore() {
    return closedException("; stop sending, or open a new one");
  }

  private ChannelClosedException closedException(String rest) {
    return ClosedChannels.exception(
        describe() + " (capacity " + capacity() + ")", reason, closedBy, cause, rest);
  }

  // ---- views ----

  /// How many items are held: as many as the slowest reader is behind.
  public int size() {
    return (int) (next - oldest);
  }

  /// How many items a reader may be behind.
  public int capacity() {
    return capacity;
  }

  /// The number of open subscriptions.
  public int subscribers() {
    return subscriptions.size();
  }

  /// One line for reports: name, size, number of readers, of waiting senders and readers.
  public String info() {
    return "%s with %s of %s for %s, %s sending, %s receiving%s"
        .formatted(
            describe(),
            size(),
            InWords.count(capacity(), "item"),
            InWords.count(subscribers(), "reader"),
            senders.size(),
            sent.subscribers(),
            closed ? ", closed" : "");
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a broadcast" : "the broadcast '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; use a ThreadChannel between loops");
    }
    return self;
  }

  // ---- what waits ----

  private final class Sent extends EventSource {
    Sent() {
      super(home);
    }

    void requireRoom() {
      if (subscribers() > 0) {
        StackGuard.requireRoom();
      }
    }

    void notifyReaders() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "an item of " + Broadcast.this.info();
    }
  }

  private final class Senders extends WaitQueue {
    @Override
    protected String info() {
      return "room in " + Broadcast.this.info() + endedReader();
    }

    // the report names the readers by holders(), unless they have ended
    private String endedReader() {
      return subscriptions.stream()
          .filter(each -> each.next <= oldest && each.reader.isDone())
          .findFirst()
          .map(each -> ", held up by " + each.reader.label() + ", which has ended without close()")
          .orElse("");
    }

    /// The slowest readers.
    @Override
    protected Collection<? extends Awaitable<?>> holders() {
      return subscriptions.stream()
          .filter(subscription -> subscription.next <= oldest && !subscription.reader.isDone())
          .<CoroutineNode<?>>map(subscription -> subscription.reader)
          .distinct()
          .toList();
    }
  }
}
