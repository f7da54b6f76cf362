// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.ClosedChannels;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.InWords;
import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.loop.LoopRuntime;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A bounded queue between loops and threads: a wait suspends a coroutine, and blocks a thread.
///
/// {@snippet class=dev.heddle.snippets.ThreadChannelSnippetsTest region=channel}
///
/// Each item is received once, by one receiver, and crosses by reference. [#close()] ends the
/// sending: receivers get what is left, and then a [ChannelClosedException]; a loop over the
/// channel ends. A channel that was created in a coroutine is also closed when the loop of that
/// coroutine ends, so no thread waits for it for ever. One that was created on another thread has
/// no such owner.
///
/// Between coroutines of one loop, use a [dev.heddle.sync.Channel]: it takes no lock, and has
/// `Select`, a rendezvous and the loop's view of deadlocks. A wait for this one counts as a wait
/// for the outside world: however long it lasts, the loop does not take it for a deadlock.
///
/// **Thread** any. **Order** items are received in the order in which they were sent; senders and
/// receivers are served in the order of arrival, whatever they are. **Capacity** a send never
/// exceeds it. But an item that a cancelled receiver hands back has nowhere else to go: the channel
/// then holds more, and takes no further item until there is room again. **Cancelled** nothing is
/// lost and nothing is sent twice: a send that throws has sent nothing; an item that was given to a
/// coroutine which is cancelled before it continues goes to the next receiver. A thread that is
/// interrupted gets a [dev.heddle.WaitCancelledException], as a coroutine does whose thread is
/// interrupted. In a coroutine that its loop has abandoned, sending and receiving throw a
/// [dev.heddle.LoopEndedException]. **Cost** without waiting: a spin lock; no allocation, once the
/// channel has held as many items before.
///
/// *Memory consistency*: what a sender did before it sent an item is visible to the receiver of the
/// item.
///
/// @param <T> the type of the items
/// @since 0.1
public final class ThreadChannel<T> implements Iterable<T>, AutoCloseable {
  /*
   * One short section under a spin lock for each operation: it moves items and decides who is
   * served. Peers are woken after it, since waking calls foreign code.
   *
   * States of a peer, all changed under the lock.
   *   from     event                                  to       who
   *   WAITING  an item or room comes                  SERVED   the other side: it gives the
   *                                                            receiver an item, or puts the
   *                                                            sender's item into the ring
   *   WAITING  close(), the owner ends                REFUSED  the closing thread
   *   WAITING  its wait ends otherwise                GONE     the waiting side
   *   SERVED   a receiver's wait ended otherwise, or  GONE     the waiting side, or the thread that
   *            its loop has ended                              finds its loop ended: hands the item
   *                                                            on, to the oldest receiver that
   *                                                            waits or back into the channel
   *   SERVED   a sender's wait ended otherwise        SERVED   nothing: the item may have been
   *                                                            received by now. send() returns, and
   *                                                            what ended the wait is thrown at the
   *                                                            next one
   * The item is null after it was handed on: that happens once, whoever comes first.
   *
   * Order. As in Channel: a given item has a number, and items that were handed back stand in the
   * order of their numbers, before all in the ring.
   *
   * Threads. Any. No one waits with the lock, and no foreign code runs under it; a stack overflow
   * inside it is excluded by StackGuard. So a coroutine that holds it is never suspended.
   *
   * I1. While a receiver waits, the channel has no item and no sender waits.
   *     [ThreadChannelModelTest]
   * I2. While a sender waits, the channel is full. [ThreadChannelModelTest]
   * I3. A send leaves the channel with no more items than its capacity. More are there only after
   *     receivers have handed items back. [assert in append(), ThreadChannelModelTest]
   * I4. An item whose send() has returned is received exactly once, or still in the channel, or was
   *     handed to the callback of cancel(). [ThreadChannelModelTest, ThreadChannelLincheckTest;
   *     mutants: ThreadChannelStress.LeavesUnchecked, SenderLeavesUnchecked]
   *
   * Memory order. Everything under the lock is published by it. What a served peer was given is
   * read without the lock, after it was woken: the inbox publishes it to a coroutine, and the flag
   * of ThreadPeer to a thread.
   *
   * Cost. Two accesses of one word for each operation; a peer object for each wait. The ring grows
   * under the lock, by doubling, so a large capacity costs nothing before it is used. Progress: a
   * thread that loses its processor inside the section delays all others until it gets it back.
   *
   * Rejected. Two locks, as LinkedBlockingQueue has them: an allocation for each item, and a
   * counter that both sides change anyway. A lock-free ring: a cancelled receiver has to hand its
   * item on to another one in order, which needs the queue of receivers and the items in one step.
   *
   * Sources. trap-1, trap-2, trap-3, trap-4; loop-278, loop-281.
   */
  private static final Comparator<Peer> OLDEST_FIRST = (a, b) -> a.turn - b.turn; // numbers wrap
  private static final int FIRST_RING = 64; // slots: 256 bytes

  private final @Nullable String name;
  private final int capacity;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private @Nullable Object[] ring; // grows up to the capacity
  private int head;
  private int buffered;
  private int turns; // the number of the next item that is given to a waiting receiver
  private final PeerQueue receivers = new PeerQueue();
  private final PeerQueue senders = new PeerQueue();
  private final PriorityQueue<Peer> returned = new PriorityQueue<>(1, OLDEST_FIRST);
  private @Nullable Reason closed;
  private @Nullable String closedBy;
  private @Nullable Throwable cause;
  private @Nullable Consumer<? super T> leftover; // of cancel()

  private ThreadChannel(@Nullable String name, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "a capacity of " + capacity + "; a channel between threads holds at least one item");
    }
    this.name = name;
    this.capacity = capacity;
    this.ring = new Object[Math.min(capacity, FIRST_RING)];
    CoroutineNode<?> owner = CoroutineNode.onLoopOrNull();
    if (owner != null) {
      LoopRuntime.of(owner).services().get(OwnedChannels.class, OwnedChannels::new).add(this);
    }
  }

  /// A channel that holds up to `capacity` items.
  ///
  /// @param capacity at least 1
  public static <T> ThreadChannel<T> of(int capacity) {
    return new ThreadChannel<>(null, capacity);
  }

  /// A channel as by [#of(int)], with a name for reports.
  public static <T> ThreadChannel<T> of(String name, int capacity) {
    return new ThreadChannel<>(Objects.requireNonNull(name, "name"), capacity);
  }

  // ---- sending ----

  /// Sends an item. **Suspends**, or blocks, while the channel is full.
  ///
  /// @throws ChannelClosedException when the channel is closed; the item was not sent
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits; the item was
  ///   not sent. A cancellation that comes after that is thrown at the next suspension point
  /// @throws dev.heddle.WaitCancelledException when the thread is interrupted while it waits; the
  ///   item was not sent
  /// @throws dev.heddle.LoopEndedException in a coroutine that its loop has abandoned
  public void send(T item) {
    send(item, Deadline.never(), null);
  }

  /// Sends an item, but waits no longer than a deadline. Otherwise as [#send(Object)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; the item was not sent
  public void send(T item, Deadline deadline) {
    send(item, deadline, null);
  }

  /// Sends an item, but waits no longer than until `token` fires; in a coroutine. Otherwise as
  /// [#send(Object)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; the item was not sent
  /// @throws IllegalStateException outside a coroutine
  public void send(T item, Awaitable<?> token) {
    var _ = CoroutineNode.current();
    send(item, Deadline.never(), EventSource.of(token));
  }

  private void send(T item, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = begin();
    if (offer(item, null)) {
      return;
    }
    Peer peer = peer(self, "room in ");
    peer.item = item;
    if (offer(item, peer)) {
      return;
    }
    try {
      peer.await(deadline, token);
    } catch (Throwable e) {
      if (!leaveSender(peer) || !peer.postpone(e)) {
        throw e;
      }
    }
    if (peer.state == Peer.REFUSED) {
      throw takesNoMore();
    }
  }

  /// Sends an item if there is room. **Suspends** never.
  ///
  /// @return whether the item was sent
  /// @throws ChannelClosedException when the channel is closed
  public boolean trySend(T item) {
    var _ = callerOrNull();
    StackGuard.requireRoom();
    return offer(item, null);
  }

  /// Sends an item, or queues `peer` (null: none) where it must wait.
  private boolean offer(T item, @Nullable Peer peer) {
    Objects.requireNonNull(item, "item");
    Peer receiver = null;
    boolean sent = false;
    boolean open;
    lock.lock();
    try {
      open = closed == null;
      if (open) {
        receiver = receivers.poll();
        sent = receiver != null || buffered + returned.size() < capacity;
        if (receiver != null) {
          give(receiver, item, turns++);
        } else if (sent) {
          append(item);
        } else if (peer != null) {
          senders.add(peer);
        }
      }
    } finally {
      lock.unlock();
    }
    if (!open) {
      throw takesNoMore();
    }
    wake(receiver);
    return sent;
  }

  /// A sender whose wait has ended otherwise leaves, and keeps its item.
  ///
  /// @return whether the item was sent before
  private boolean leaveSender(Peer sender) {
    StackGuard.requireRoom();
    lock.lock();
    try {
      if (sender.state == Peer.WAITING) {
        senders.remove(sender);
        sender.state = Peer.GONE;
      }
      return sender.state == Peer.SERVED;
    } finally {
      lock.unlock();
    }
  }

  // ---- receiving ----

  /// Receives the oldest item. **Suspends**, or blocks, while there is none.
  ///
  /// @throws ChannelClosedException when the channel is closed and nothing is left in it
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits; no item is
  ///   lost
  /// @throws dev.heddle.WaitCancelledException when the thread is interrupted while it waits; no
  ///   item is lost
  /// @throws dev.heddle.LoopEndedException in a coroutine that its loop has abandoned
  public T receive() {
    return received(receive(Deadline.never(), null));
  }

  /// Receives the oldest item, but waits no longer than a deadline. Otherwise as [#receive()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T receive(Deadline deadline) {
    return received(receive(deadline, null));
  }

  /// Receives the oldest item, but waits no longer than until `token` fires; in a coroutine.
  /// Otherwise as [#receive()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  /// @throws IllegalStateException outside a coroutine
  public T receive(Awaitable<?> token) {
    var _ = CoroutineNode.current();
    return received(receive(Deadline.never(), EventSource.of(token)));
  }

  private T received(@Nullable T item) {
    if (item == null) {
      throw nothingLeft();
    }
    return item;
  }

  // null: closed
  private @Nullable T receive(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = begin();
    T item = take(null);
    if (item != null) {
      return item;
    }
    Peer peer = peer(self, "an item from ");
    item = take(peer);
    if (item != null || peer.state == Peer.REFUSED) {
      return item;
    }
    try {
      peer.await(deadline, token);
    } catch (Throwable e) {
      if (self != null || !isServed(peer) || !peer.postpone(e)) {
        leaveReceiver(peer);
        throw e;
      }
    }
    return itemOf(peer);
  }

  /// Receives the oldest item, if there is one. **Suspends** never.
  ///
  /// @return the item; null when there is none now
  /// @throws ChannelClosedException when the channel is closed and nothing is left in it
  public @Nullable T tryReceive() {
    var _ = callerOrNull();
    StackGuard.requireRoom();
    T item = take(null);
    if (item == null && closed()) {
      item = take(null); // one may have been sent before it was closed
      if (item == null) {
        throw nothingLeft();
      }
    }
    return item;
  }

  /// Takes the oldest item; or queues `peer` (null: none), or refuses it.
  @SuppressWarnings("unchecked") // only a T is sent
  private @Nullable T take(@Nullable Peer peer) {
    Object item;
    Peer sender = null;
    lock.lock();
    try {
      Peer again = returned.poll();
      item = again != null ? again.item : buffered > 0 ? removeFirst() : null;
      if (item != null && buffered + returned.size() < capacity) {
        sender = senders.poll();
        if (sender != null) {
          append(Objects.requireNonNull(sender.item));
          sender.item = null;
          sender.state = Peer.SERVED;
        }
      } else if (item == null && peer != null) {
        if (closed == null) {
          receivers.add(peer);
        } else {
          peer.state = Peer.REFUSED;
        }
      }
    } finally {
      lock.unlock();
    }
    wake(sender);
    return (T) item;
  }

  private boolean isServed(Peer peer) {
    lock.lock();
    try {
      return peer.state == Peer.SERVED;
    } finally {
      lock.unlock();
    }
  }

  /// A receiver whose wait has ended otherwise leaves, and hands on what it was given.
  private void leaveReceiver(Peer receiver) {
    StackGuard.requireRoom();
    wake(handOn(receiver));
    handOver();
  }

  // returns the receiver that is to be woken
  private @Nullable Peer handOn(Peer peer) {
    lock.lock();
    try {
      Object item = peer.item;
      if (peer.state == Peer.WAITING) {
        receivers.remove(peer);
        peer.state = Peer.GONE;
        return null;
      }
      if (peer.state != Peer.SERVED || item == null) {
        return null;
      }
      peer.state = Peer.GONE;
      Peer next = receivers.poll();
      if (next == null) {
        returned.add(peer); // with its item and its turn
      } else {
        peer.item = null;
        give(next, item, peer.turn);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  private static void give(Peer receiver, Object item, int turn) {
    receiver.item = item;
    receiver.turn = turn;
    receiver.state = Peer.SERVED;
  }

  // one whose loop has ended may never continue
  private void wake(@Nullable Peer served) {
    Peer next = served;
    while (next != null && !next.wake()) {
      next = handOn(next); // for a sender there is nothing to hand on
      if (next == null) {
        handOver();
      }
    }
  }

  // what was handed back after cancel(); a failure of its callback is not that of the caller
  private void handOver() {
    Consumer<? super T> callback;
    lock.lock();
    callback = returned.isEmpty() ? null : leftover;
    lock.unlock();
    if (callback == null) {
      return;
    }
    try {
      drain(callback);
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      Thread self = Thread.currentThread();
      self.getUncaughtExceptionHandler().uncaughtException(self, e);
    }
  }

  private void drain(Consumer<? super T> callback) {
    for (T item = take(null); item != null; item = take(null)) {
      callback.accept(item);
    }
  }

  @SuppressWarnings("unchecked") // only a T is sent
  private @Nullable T itemOf(Peer receiver) {
    return (T) receiver.item;
  }

  /// The items until the channel is closed and nothing is left in it. `hasNext()` **suspends**, or
  /// blocks, while there is no item; it receives one, which `next()` returns.
  ///
  /// The loop ends without an exception when the channel was closed by [#close()] or with its
  /// owner; otherwise `hasNext()` throws the [ChannelClosedException].
  @Override
  public Iterator<T> iterator() {
    return new Items();
  }

  /// The items as [#iterator()] receives them, as a sequential stream to be used on one thread, or
  /// in one coroutine.
  public Stream<T> stream() {
    int ordered = Spliterator.ORDERED | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), ordered), false);
  }

  // ---- closing ----

  /// Ends the sending. What is in the channel can still be received. Senders and receivers that
  /// wait get a [ChannelClosedException]. **Suspends** never; a second call does nothing.
  ///
  /// To close it with a scope, let the scope call this: `scope.onCompletion(_ -> channel.close())`.
  @Override
  public void close() {
    close(Reason.CLOSED, null);
  }

  /// Ends the sending because of a failure, which becomes the cause of each
  /// [ChannelClosedException]. A loop over the channel throws it, after the items that are left.
  public void close(Throwable failure) {
    close(Reason.CLOSED, Objects.requireNonNull(failure, "failure"));
  }

  /// Ends the sending, and drops what is left in the channel, also what comes back later.
  public void cancel() {
    cancel(_ -> {});
  }

  /// Ends the sending, and hands what is left in the channel to `leftover`, the oldest item first.
  ///
  /// An item that was given to a receiver whose wait ends otherwise comes later, on the thread that
  /// finds that out. A failure of that call goes to the thread's uncaught-exception handler.
  ///
  /// If `leftover` throws here, the item that it was called with is gone; those behind stay in the
  /// channel, and a second call goes on with them.
  public void cancel(Consumer<? super T> leftover) {
    Objects.requireNonNull(leftover, "leftover");
    close(Reason.CANCELLED, null);
    lock.lock(); // after close(): until then a receiver may hand an item on to others
    this.leftover = leftover;
    lock.unlock();
    drain(leftover);
  }

  void ownerEnded() {
    close(Reason.LOOP_ENDED, null);
  }

  private void close(Reason reason, @Nullable Throwable failure) {
    String by = closer();
    StackGuard.requireRoom();
    Peer refused = null;
    lock.lock();
    try {
      if (closed == null) {
        closed = reason;
        closedBy = by;
        cause = failure;
        refused = refuse(senders, refuse(receivers, null));
      }
    } finally {
      lock.unlock();
    }
    while (refused != null) {
      Peer next = refused.next;
      refused.next = null;
      var _ = refused.wake();
      refused = next;
    }
  }

  private static String closer() {
    CoroutineNode<?> self = CoroutineNode.onLoopOrNull();
    return self == null ? "the thread '" + Thread.currentThread().getName() + "'" : self.label();
  }

  // links those that are refused
  private static @Nullable Peer refuse(PeerQueue queue, @Nullable Peer before) {
    Peer refused = before;
    for (Peer peer = queue.poll(); peer != null; peer = queue.poll()) {
      peer.state = Peer.REFUSED;
      peer.next = refused;
      refused = peer;
    }
    return refused;
  }

  private ChannelClosedException takesNoMore() {
    return closedException("; stop sending, or open a new one");
  }

  private ChannelClosedException nothingLeft() {
    return closedException(", and nothing is left in it; stop receiving");
  }

  private ChannelClosedException closedException(String rest) {
    lock.lock();
    Reason reason = closed == null ? Reason.CLOSED : closed;
    String by = closedBy;
    Throwable failure = cause;
    lock.unlock();
    String channel = describe() + " (capacity " + capacity + ")";
    return ClosedChannels.exception(channel, reason, by, failure, rest);
  }

  // ---- views ----

  /// The number of items in the channel, at some moment. Those of waiting senders do not count.
  public int size() {
    lock.lock();
    int size = buffered + returned.size();
    lock.unlock();
    return size;
  }

  /// Whether there was no item in the channel, at some moment.
  public boolean isEmpty() {
    return size() == 0;
  }

  /// Whether the channel held as many items as it may, at some moment.
  public boolean isFull() {
    return size() >= capacity;
  }

  /// How many items it may hold.
  public int capacity() {
    return capacity;
  }

  /// Whether it was closed; items may be left in it.
  public boolean isClosed() {
    return closed();
  }

  private boolean closed() {
    lock.lock();
    boolean is = closed != null;
    lock.unlock();
    return is;
  }

  /// One line for reports: name, size, number of waiting senders and receivers.
  public String info() {
    lock.lock();
    int size = buffered + returned.size();
    int sending = senders.size();
    int receiving = receivers.size();
    boolean over = closed != null;
    lock.unlock();
    return describe()
        + " with "
        + size
        + " of "
        + InWords.count(capacity, "item")
        + ", "
        + sending
        + " sending, "
        + receiving
        + " receiving"
        + (over ? ", closed" : "");
  }

  @Override
  public String toString() {
    return info();
  }

  private String describe() {
    return name == null ? "a thread channel" : "the thread channel '" + name + "'";
  }

  // ---- parts ----

  // null: not in a coroutine
  private static @Nullable CoroutineNode<?> begin() {
    CoroutineNode<?> self = callerOrNull();
    if (self != null) {
      self.scheduler().consumeBudget(self); // it may throw
    }
    StackGuard.requireRoom(); // an overflow would leave the lock locked
    return self;
  }

  // one that its loop has abandoned is no thread of its own, which might wait here for ever
  private static @Nullable CoroutineNode<?> callerOrNull() {
    CoroutineNode<?> self = CoroutineNode.currentOrNull();
    return self != null && self.scheduler().hasEnded() ? CoroutineNode.current() : self;
  }

  private Peer peer(@Nullable CoroutineNode<?> self, String what) {
    return self == null ? new ThreadPeer(this) : new CoroutinePeer(self, this, what);
  }

  private void append(Object item) {
    if (buffered == ring.length) {
      grow();
    }
    int at = head + buffered;
    ring[at < ring.length ? at : at - ring.length] = item;
    buffered++;
    assert buffered + returned.size() <= capacity; // I3
  }

  private void grow() {
    @Nullable Object[] larger = new Object[(int) Math.min(capacity, 2L * ring.length)];
    int first = Math.min(buffered, ring.length - head);
    System.arraycopy(ring, head, larger, 0, first);
    System.arraycopy(ring, 0, larger, first, buffered - first);
    ring = larger;
    head = 0;
  }

  private @Nullable Object removeFirst() {
    Object item = ring[head];
    ring[head] = null;
    head = head + 1 == ring.length ? 0 : head + 1;
    buffered--;
    return item;
  }

  private final class Items implements Iterator<T> {
    private @Nullable T next;

    @Override
    public boolean hasNext() {
      if (next == null) {
        next = receive(Deadline.never(), null);
        if (next == null && mustTell()) {
          throw nothingLeft();
        }
      }
      return next != null;
    }

    private boolean mustTell() {
      lock.lock();
      boolean must = cause != null || closed == Reason.CANCELLED;
      lock.unlock();
      return must;
    }

    @Override
    public T next() {
      T item = hasNext() ? next : null;
      if (item == null) {
        throw new NoSuchElementException(describe() + " was closed, and nothing is left in it");
      }
      next = null;
      return item;
    }
  }
}
