// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.ClosedChannels;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.InWords;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A queue between the coroutines of one loop: some send, others receive.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=channel}
///
/// | made by | holds | a sender suspends |
/// |---|---|---|
/// | `Channel.of(n)` | up to `n` items | while it is full |
/// | `Channel.of(0)` | nothing: a rendezvous | until its item is received |
/// | `Channel.unlimited()` | any number | never |
/// | `Channel.conflated()` | the newest item | never: the newest replaces one not yet received |
///
/// Each item is received once, by one receiver. [#close()] ends the sending: receivers get what is
/// left, and then a [ChannelClosedException]; a loop over the channel ends.
///
/// **Thread** the loop on which it was created. **Order** items are received in the order in which
/// they were sent; senders and receivers are served in the order of arrival. Nothing overtakes a
/// waiter: [#trySend] and [#tryReceive] fail rather than take what another waits for. **Capacity**
/// a send never exceeds it. But an item that a cancelled receiver hands back has nowhere else to
/// go: the channel then holds more, and takes no further item until there is room again.
/// **Cancelled** nothing is lost and nothing is sent twice: a send that throws has sent nothing; an
/// item that was given to a receiver which is cancelled before it continues goes to the next
/// receiver. **Cost** without waiting: no switch, except that [#send] and [#receive] let others run
/// at every 64th call; no allocation, except that the memory grows with the items.
///
/// @param <T> the type of the items
/// @since 0.1
public final class Channel<T> implements Iterable<T>, AutoCloseable {
  /*
   * Where an item is.
   *   with a sender   the sender waits because the channel is full; its waiter has the item
   *   buffered        in the ring
   *   given           to a receiver that was served and has not continued yet
   *   returned        by a receiver that was served and whose wait ended otherwise
   *
   *   from           event                                   to         who moves it
   *   -              send(), a receiver waits                given      the sender
   *   -              send(), there is room                   buffered   the sender
   *   -              send(), there is none                   with it    the sender
   *   with a sender  an item leaves the ring                 buffered   the receiver
   *   with a sender  receive(), the ring is empty            received   the receiver
   *   with a sender  close(), cancellation, deadline, token  -          the sender keeps it: its
   *                                                                     send() throws
   *   buffered       receive()                               received   the receiver
   *   given          the receiver continues                  received   the receiver
   *   given          its wait ended otherwise                given      to the oldest receiver
   *                                                       or returned   that waits, if there is one
   *   returned       receive()                               received   the receiver
   *
   * The item of a waiting sender moves when there is room for it, not when the sender continues.
   * From then on the item may be received, so the send has succeeded, and nothing may make it
   * throw: the sender is served finally (WaitQueue). The other way round, an item that is given to
   * a receiver can be handed on.
   *
   * Order. An item that a receiver hands on is older than all items in the ring, but not always the
   * oldest of those returned: two receivers that were served in turn may leave in either order. So
   * a given item has a number, and returned items stand in the order of their numbers.
   *
   * Threads. The loop's.
   *
   * I1. While a receiver waits, the channel has no item, and no sender waits but for that of the
   *     same select. [ChannelModelTest, SelectModelTest]
   * I2. While a sender waits, the channel holds as many items as it may. [ChannelModelTest]
   * I3. A send leaves the channel with no more items than its capacity. More are there only after
   *     receivers have handed items back. [assert in append(), ChannelModelTest]
   * I4. An item whose send() has returned or was buffered is received exactly once, or still in the
   *     channel, or was handed to the callback of cancel(). In a conflated channel a newer one may
   *     have replaced it. [ChannelModelTest]
   *
   * Rejected. Counting given items as held until their receivers continue: a producer that is as
   * fast as its consumer would wait at every other item, and a rendezvous could not count at all.
   * A place that is reserved for a woken sender, which then puts its item there: a
   * rendezvous takes one switch more, and the free place needs a second state that every method has
   * to look at.
   *
   * Sources. trap-1, trap-2, trap-3, trap-4.
   */
  private static final int UNLIMITED = Integer.MAX_VALUE;
  private static final int CONFLATED = -1;
  // the numbers wrap
  private static final Comparator<Waiter> OLDEST_FIRST = (a, b) -> a.turn() - b.turn();

  private final Scheduler home;
  private final @Nullable String name;
  private final int capacity;

  // loop only
  private final ItemRing ring;
  private int turns; // the number of the next item that is given to a waiter; wraps
  private @Nullable WaitQueue receivers; // null: no receiver has ever waited
  private @Nullable WaitQueue senders;
  private @Nullable PriorityQueue<Waiter> returned; // null: none ever was
  private @Nullable Reason closed;
  private @Nullable String closedBy; // null: by no coroutine
  private @Nullable Throwable cause;
  private @Nullable ChannelEnd closing; // null: closed() was never called
  private @Nullable ChannelEnd draining; // null: drained() was never called
  private @Nullable StuckLimit stuckLimit; // null: none
  private @Nullable ScopeBinding bindings; // of closeWith()
  private @Nullable Consumer<? super T> leftover; // of cancel()

  private Channel(@Nullable String name, int capacity) {
    this.home = CoroutineNode.current().scheduler();
    this.name = name;
    this.capacity = capacity;
    this.ring = new ItemRing(Math.abs(capacity));
  }

  /// A channel that holds up to `capacity` items; with 0, a sender waits until its item is
  /// received.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Channel<T> of(int capacity) {
    return new Channel<>(null, checked(capacity));
  }

  /// A channel as by [#of(int)], with a name for reports.
  public static <T> Channel<T> of(String name, int capacity) {
    return new Channel<>(Objects.requireNonNull(name, "name"), checked(capacity));
  }

  /// A channel that holds any number of items: senders never wait. Memory is its only limit.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Channel<T> unlimited() {
    return new Channel<>(null, UNLIMITED);
  }

  /// A channel as by [#unlimited()], with a name for reports.
  public static <T> Channel<T> unlimited(String name) {
    return new Channel<>(Objects.requireNonNull(name, "name"), UNLIMITED);
  }

  /// A channel that holds the newest item: a send replaces an item that nobody has received.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Channel<T> conflated() {
    return new Channel<>(null, CONFLATED);
  }

  /// A channel as by [#conflated()], with a name for reports.
  public static <T> Channel<T> conflated(String name) {
    return new Channel<>(Objects.requireNonNull(name, "name"), CONFLATED);
  }

  private static int checked(int capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException(
          "a channel cannot hold " + capacity + " items; use 0 to hand over each to its receiver");
    }
    return capacity;
  }

  // ---- sending ----

  /// Sends an item. **Suspends** while the channel is full; one without capacity, until the item is
  /// received.
  ///
  /// @throws ChannelClosedException when the channel is closed; the item was not sent
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits; the item was
  ///   not sent. A cancellation that comes after that is thrown at the next suspension point
  /// @throws IllegalStateException when the channel belongs to another loop
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
    if (accept(item, self)) {
      return;
    }
    Waiter waiter = sender(item);
    try {
      senders().await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leaveSender(waiter);
      if (!isSent(waiter)) {
        throw e;
      }
      SentSender.met(e, self, describe());
    }
    if (waiter.item() != null) {
      throw takesNoMore();
    }
  }

  /// Whether the item of a sender whose wait has ended otherwise was sent all the same.
  boolean isSent(Waiter sender) {
    return !home.hasEnded() && sender.isServed() && sender.item() == null;
  }

  /// Sends an item if that needs no wait: if a receiver waits or the channel has room. **Suspends**
  /// never.
  ///
  /// @return whether the item was sent
  /// @throws ChannelClosedException when the channel is closed
  /// @throws IllegalStateException when the channel belongs to another loop
  public boolean trySend(T item) {
    return accept(item, current());
  }

  private boolean accept(T item, CoroutineNode<?> self) {
    Objects.requireNonNull(item, "item");
    if (stuckLimit != null) {
      stuckLimit.sends(self);
    }
    if (closed != null) {
      throw takesNoMore();
    }
    if (give(item, turns)) {
      turns++;
      changed();
      return true;
    }
    if (size() < capacity) {
      append(item);
      return true;
    }
    if (capacity == CONFLATED) {
      ring.clear();
      returned = null;
      append(item);
      return true;
    }
    return false;
  }

  // only a channel with a limit looks how long its coroutines wait
  private void changed() {
    if (stuckLimit != null) {
      stuckLimit.changed(hasReceiver(), hasSender());
    }
  }

  private boolean isAwaited() {
    return hasReceiver() || hasSender();
  }

  /// Whether a receiver waits.
  boolean hasReceiver() {
    return receivers != null && receivers.peek() != null;
  }

  /// Whether a sender waits.
  boolean hasSender() {
    return senders != null && senders.peek() != null;
  }

  // to the oldest receiver that waits
  private boolean give(Object item, int turn) {
    WaitQueue queue = receivers;
    Waiter receiver = queue == null ? null : queue.peek();
    if (queue == null || receiver == null) {
      return false;
    }
    StackGuard.requireRoom(); // an overflow half-way would lose the item
    queue.remove(receiver);
    receiver.serve(item, turn);
    return true;
  }

  // ---- receiving ----

  /// Receives the oldest item. **Suspends** while there is none.
  ///
  /// @throws ChannelClosedException when the channel is closed and nothing is left in it
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits; no item is
  ///   lost
  /// @throws IllegalStateException when the channel belongs to another loop
  public T receive() {
    return received(receive(Deadline.never(), null));
  }

  /// Receives the oldest item, but waits no longer than a deadline. Otherwise as [#receive()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T receive(Deadline deadline) {
    return received(receive(deadline, null));
  }

  /// Receives the oldest item, but waits no longer than until `token` fires. Otherwise as
  /// [#receive()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T receive(Awaitable<?> token) {
    return received(receive(Deadline.never(), EventSource.of(token)));
  }

  private T received(@Nullable T item) {
    if (item == null) {
      throw nothingLeft();
    }
    return item;
  }

  /// Receives the oldest item, if there is one. **Suspends** never.
  ///
  /// @return the item; null when there is none now
  /// @throws ChannelClosedException when the channel is closed and nothing is left in it
  /// @throws IllegalStateException when the channel belongs to another loop
  public @Nullable T tryReceive() {
    T item = poll();
    if (item == null && closed != null) {
      throw nothingLeft();
    }
    return item;
  }

  // null: closed
  private @Nullable T receive(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    home.consumeBudget(self); // first: it may throw
    T item = poll();
    if (item != null || closed != null) {
      return item;
    }
    StackGuard.requireRoom(); // also for leave(): it has to hand on what was given
    Waiter waiter = receiver();
    try {
      receivers().await(waiter, self, deadline, token);
    } catch (Throwable e) {
      leave(waiter);
      throw e;
    }
    return itemOf(waiter);
  }

  /// A receiver whose wait has ended otherwise leaves, and hands on what it was given.
  void leave(Waiter receiver) {
    if (home.hasEnded()) {
      return; // the caller now runs on a JDK thread, perhaps concurrently with others
    }
    receivers().remove(receiver);
    Object item = receiver.item();
    if (item != null && !give(item, receiver.turn())) {
      takeBack(receiver);
    }
    changed();
  }

  private void takeBack(Waiter receiver) {
    if (capacity == CONFLATED && !isNewest(receiver)) {
      return;
    }
    if (returned == null) {
      returned = new PriorityQueue<>(OLDEST_FIRST);
    }
    returned.add(receiver);
    Consumer<? super T> callback = leftover;
    if (callback != null) {
      handOver(callback);
    }
  }

  // drops an older one
  private boolean isNewest(Waiter receiver) {
    if (ring.size() > 0) {
      return false; // it came when no receiver waited any more
    }
    Waiter other = returned == null ? null : returned.peek();
    if (other != null && OLDEST_FIRST.compare(other, receiver) > 0) {
      return false;
    }
    returned = null;
    return true;
  }

  // null: there is none
  @SuppressWarnings("unchecked") // only a T is sent
  private @Nullable T take() {
    WaitQueue queue = senders;
    Waiter sender = queue == null ? null : queue.peek();
    if (sender != null || draining != null) {
      StackGuard.requireRoom(); // an overflow half-way would lose the item
    }
    Waiter again = returned == null ? null : returned.poll();
    Object item = again != null ? again.item() : ring.poll();
    // what receivers have handed back may be more than the capacity
    if (queue != null && sender != null && (item == null || size() < capacity)) {
      queue.remove(sender);
      Object waiting = Objects.requireNonNull(sender.item());
      if (item == null) {
        item = waiting;
      } else {
        append(waiting);
      }
      sender.serveFinally();
      changed();
    }
    if (item != null) {
      fireIfDrained();
    }
    return (T) item;
  }

  private void fireIfDrained() {
    if (draining != null && isDrained()) {
      draining.fire();
    }
  }

  private boolean isDrained() {
    return closed != null && isEmpty();
  }

  /// Receives the oldest item later: at once if there is one, else when it is sent. **Suspends**
  /// never. A future that is cancelled receives nothing; an item that a future has received is not
  /// handed on, whether the future is awaited or not.
  ///
  /// @return a future that fails with a [ChannelClosedException] when the channel is closed and
  ///   nothing is left in it
  public Future<T> receiveAsync() {
    T item = poll();
    String what = "an item from " + describe();
    Promise<T> promise = new Promise<>(what);
    if (item != null) {
      promise.complete(item);
      return promise.future();
    }
    if (closed != null) {
      promise.fail(nothingLeft());
      return promise.future();
    }
    Waiter waiter = receiver();
    waiter.subscribe(new Delivery<>(this, waiter, promise));
    receivers().add(waiter);
    return Future.of(
        what,
        promise.future(),
        _ -> {
          receivers().remove(waiter);
          changed();
        });
  }

  /// The items until the channel is closed and nothing is left in it. `hasNext()` **suspends**
  /// while there is no item; it receives one, which `next()` returns.
  ///
  /// The loop ends without an exception when the channel was closed by [#close()] or with its
  /// scope; otherwise `hasNext()` throws the [ChannelClosedException].
  @Override
  public Iterator<T> iterator() {
    return new ChannelItems<>(this::receiveNext, this);
  }

  /// The items as [#iterator()] receives them, as a sequential stream to be used on this loop.
  public Stream<T> stream() {
    int ordered = Spliterator.ORDERED | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), ordered), false);
  }

  // ---- closing ----

  /// Ends the sending. What is in the channel can still be received. Senders and receivers that
  /// wait get a [ChannelClosedException]. **Suspends** never; a second call does nothing.
  @Override
  public void close() {
    close(Reason.CLOSED, null, current());
  }

  /// Ends the sending because of a failure, which becomes the cause of each
  /// [ChannelClosedException]. A loop over the channel throws it, after the items that are left.
  public void close(Throwable failure) {
    close(Reason.CLOSED, Objects.requireNonNull(failure, "failure"), current());
  }

  /// Ends the sending, and drops what is left in the channel, also what comes back later.
  public void cancel() {
    cancel(_ -> {});
  }

  /// Ends the sending, and hands what is left in the channel to `leftover`, the oldest item first.
  ///
  /// An item that was given to a receiver which is cancelled before it continues comes later, in
  /// that receiver's coroutine.
  ///
  /// If `leftover` throws, the item that it was called with is gone; those behind stay in the
  /// channel, and a second call goes on with them.
  public void cancel(Consumer<? super T> leftover) {
    CoroutineNode<?> self = current();
    this.leftover = Objects.requireNonNull(leftover, "leftover");
    close(Reason.CANCELLED, null, self);
    for (T item = take(); item != null; item = take()) {
      leftover.accept(item);
    }
  }

  // for what a receiver has handed back; its own exception is the receiver's
  private void handOver(Consumer<? super T> callback) {
    try {
      for (T item = take(); item != null; item = take()) {
        callback.accept(item);
      }
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      home.futures().unobserved("the cancellation callback failed, of " + describe(), e);
    }
  }

  /// Closes the channel when a scope has ended. What is in it can still be received. The root scope
  /// ends with its loop, when nothing can wait for the channel any more.
  ///
  /// @return this channel
  /// @throws IllegalStateException when the channel or the scope belongs to another loop
  public Channel<T> closeWith(Scope scope) {
    current();
    if (closed == null) {
      Runnable close = () -> close(Reason.SCOPE_ENDED, null, null);
      bindings = ScopeBinding.bind(scope, home, () -> closeInTick(close), bindings);
    }
    return this;
  }

  /// Closes the channel when coroutines have waited for an item, or for room, and nothing was
  /// exchanged for `limit`. They get a [ChannelClosedException] with the reason
  /// [Reason#DEADLOCK][ChannelClosedException.Reason#DEADLOCK], also where a loop over the channel
  /// waits. Its message names the coroutines that sent and received last. While they wait, the
  /// limit keeps the loop from reporting a deadlock. A deadlock report lists the channels that such
  /// limits have closed before.
  ///
  /// A channel has one limit: a later call of this method, or of [#closeOnDeadlock(Duration)],
  /// replaces the earlier one, and the time starts anew.
  ///
  /// @return this channel
  /// @throws IllegalArgumentException unless the limit is positive
  public Channel<T> closeWhenStuck(Duration limit) {
    return limited(limit, limit, false);
  }

  /// As [#closeWhenStuck(Duration)], with a limit for each side.
  ///
  /// @param noProducer how long receivers wait for an item
  /// @param noConsumer how long senders wait for room
  /// @return this channel
  /// @throws IllegalArgumentException unless both are positive
  public Channel<T> closeWhenStuck(Duration noProducer, Duration noConsumer) {
    return limited(noProducer, noConsumer, false);
  }

  /// As [#closeWhenStuck(Duration)], and also when the loop would report a deadlock: the channel is
  /// closed instead, at once, and the coroutines that wait for it go on. The limit itself keeps
  /// nothing alive. It replaces an earlier limit of either kind.
  ///
  /// @return this channel
  /// @throws IllegalArgumentException unless the limit is positive
  public Channel<T> closeOnDeadlock(Duration limit) {
    return limited(limit, limit, true);
  }

  /// As [#closeOnDeadlock(Duration)], with a limit for each side.
  ///
  /// @param noProducer how long receivers wait for an item
  /// @param noConsumer how long senders wait for room
  /// @return this channel
  /// @throws IllegalArgumentException unless both are positive
  public Channel<T> closeOnDeadlock(Duration noProducer, Duration noConsumer) {
    return limited(noProducer, noConsumer, true);
  }

  private Channel<T> limited(Duration noProducer, Duration noConsumer, boolean onDeadlock) {
    current();
    StuckLimit next = new StuckLimit(noProducer, noConsumer, onDeadlock, this::closeIfAwaited);
    if (stuckLimit != null) {
      stuckLimit.changed(false, false);
    }
    stuckLimit = next;
    next.begin(hasReceiver(), hasSender());
    return this;
  }

  private void closeIfAwaited(StuckLimit limit) {
    if (isAwaited()) {
      limit.note(info() + "; waited for in vain" + limit.inWords());
      close(Reason.DEADLOCK, null, null);
    }
  }

  private void close(
      Reason reason, @Nullable Throwable failure, @Nullable CoroutineNode<?> closer) {
    if (closed != null) {
      return;
    }
    StackGuard.requireRoom(); // an overflow half-way would leave waiters that never wake
    closed = reason;
    closedBy = closer == null ? null : closer.label();
    cause = failure;
    refuse(receivers);
    refuse(senders);
    if (closing != null) {
      closing.fire();
    }
    fireIfDrained();
    changed();
    ScopeBinding bound = bindings;
    bindings = null;
    ScopeBinding.release(bound);
  }

  /// Closes it where there may be no stack for that; then nothing has changed, and the end of the
  /// tick does it.
  ///
  /// @param close made before: linking a lambda takes more stack than any guard promises
  void closeInTick(Runnable close) {
    try {
      close.run();
    } catch (StackOverflowError _) {
      home.runOnCarrier(close);
    }
  }

  // a sender keeps its item, and a receiver gets none: by that both know
  private static void refuse(@Nullable WaitQueue queue) {
    if (queue == null) {
      return;
    }
    for (Waiter waiter = queue.poll(); waiter != null; waiter = queue.poll()) {
      waiter.serve(waiter.item(), 0);
    }
  }

  ChannelClosedException takesNoMore() {
    return closedException("; stop sending, or open a new one");
  }

  ChannelClosedException nothingLeft() {
    return closedException(", and nothing is left in it; stop receiving");
  }

  private ChannelClosedException closedException(String rest) {
    Reason reason = closed == null ? Reason.CLOSED : closed;
    StuckLimit limit = reason == Reason.DEADLOCK ? stuckLimit : null;
    String then = limit == null ? rest : limit.inWords() + rest;
    String room = capacity == UNLIMITED ? "unlimited" : "capacity " + capacity;
    String kind = capacity == CONFLATED ? "conflated" : room;
    return ClosedChannels.exception(describe() + " (" + kind + ")", reason, closedBy, cause, then);
  }

  // ---- views ----

  /// The number of items in the channel. Those of waiting senders do not count.
  public int size() {
    return ring.size() + (returned == null ? 0 : returned.size());
  }

  /// Whether there is no item in the channel.
  public boolean isEmpty() {
    return size() == 0;
  }

  /// Whether the channel holds as many items as it may.
  public boolean isFull() {
    return capacity >= 0 && size() >= capacity;
  }

  /// How many items it may hold: [Integer#MAX_VALUE] without a limit, 1 if it is conflated.
  public int capacity() {
    return Math.abs(capacity);
  }

  /// Whether it was closed; items may be left in it.
  public boolean isClosed() {
    return closed != null;
  }

  /// Fires when the channel is closed, although items may be left in it: for a sender that is to
  /// stop when nothing more is wanted, or for a [Select].
  public Awaitable<?> closed() {
    current();
    ChannelEnd event = closing;
    if (event == null) {
      event = new ChannelEnd(home, this::isClosed, () -> "the end of " + info());
      closing = event;
    }
    return event;
  }

  /// Fires when the channel is closed and nothing is left in it, whichever receiver took the last
  /// item: for code that learns of the end without receiving.
  ///
  /// An item that was given to a receiver is no longer left. If that receiver is cancelled before
  /// it continues, the item is back in the channel, and the event fires again when it has been
  /// taken.
  public Awaitable<?> drained() {
    current();
    ChannelEnd event = draining;
    if (event == null) {
      event = new ChannelEnd(home, this::isDrained, () -> "the last item of " + info());
      draining = event;
    }
    return event;
  }

  /// One line for reports: name, size, number of waiting senders and receivers.
  public String info() {
    String state = closed != null ? ", closed" : stuckLimit == null ? "" : stuckLimit.info();
    return "%s with %s of %s, %s sending, %s receiving%s"
        .formatted(describe(), size(), limit(), waiting(senders), waiting(receivers), state);
  }

  @Override
  public String toString() {
    return info();
  }

  private String limit() {
    return capacity == UNLIMITED ? "any number of items" : InWords.count(capacity(), "item");
  }

  private static int waiting(@Nullable WaitQueue queue) {
    return queue == null ? 0 : queue.size();
  }

  String describe() {
    return name == null ? "a channel" : "the channel '" + name + "'";
  }

  private CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; use a ThreadChannel between loops");
    }
    return self;
  }

  private void append(Object item) {
    ring.add(item);
    assert size() <= capacity(); // I3
  }

  // ---- for an operator ----

  /// Closes it with a failure: for an operator that has ended, outside of any coroutine.
  void end(Throwable failure) {
    close(Reason.CLOSED, failure, null);
  }

  /// Closes it, and drops what is left: for an operator whose own channel was closed, perhaps in a
  /// tick. Where there is little stack, it does so at the end of the tick: a chain of operators
  /// would need more and more.
  ///
  /// @param drop calls [#dropNow]
  void drop(Runnable drop) {
    home.runWithRoom(drop);
  }

  void dropNow() {
    close(Reason.CANCELLED, null, null);
    T item = take();
    while (item != null) {
      item = take();
    }
  }

  // ---- for a select, which waits for several things ----

  /// Takes the oldest item; null: there is none.
  @Nullable T poll() {
    CoroutineNode<?> self = current();
    if (stuckLimit != null) {
      stuckLimit.receives(self);
    }
    return take();
  }

  /// A receiver for a coming wait.
  Waiter receiver() {
    if (stuckLimit != null) {
      stuckLimit.receiverWaits();
    }
    return new Waiter(receivers(), home, null);
  }

  /// A sender for a coming wait.
  Waiter sender(T item) {
    if (stuckLimit != null) {
      stuckLimit.senderWaits();
    }
    return new Waiter(senders(), home, item);
  }

  /// A sender whose wait has ended otherwise leaves, and keeps its item.
  void leaveSender(Waiter sender) {
    if (!home.hasEnded()) {
      senders().remove(sender);
      changed();
    }
  }

  /// What a receiver was given; null: the channel was closed.
  @SuppressWarnings("unchecked") // only a T is sent
  @Nullable T itemOf(Waiter receiver) {
    return (T) receiver.item();
  }

  // ---- parts ----

  private WaitQueue receivers() {
    WaitQueue queue = receivers;
    if (queue == null) {
      queue = new Waiters("an item from ");
      receivers = queue;
    }
    return queue;
  }

  private WaitQueue senders() {
    WaitQueue queue = senders;
    if (queue == null) {
      queue = new Waiters("room in ");
      senders = queue;
    }
    return queue;
  }

  private final class Waiters extends WaitQueue {
    private final String what;

    Waiters(String what) {
      this.what = what;
    }

    @Override
    protected String info() {
      return what + Channel.this.info();
    }
  }

  // ---- for its iterator ----

  // null: it was closed, and nothing is left
  private @Nullable T receiveNext() {
    T item = receive(Deadline.never(), null);
    if (item == null && isFailure()) {
      throw nothingLeft();
    }
    return item;
  }

  // whether a loop over the channel throws rather than ends
  private boolean isFailure() {
    return cause != null || closed == Reason.CANCELLED || closed == Reason.DEADLOCK;
  }
}
