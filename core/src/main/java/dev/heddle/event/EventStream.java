// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Cancellation;
import dev.heddle.EventsLostException;
import dev.heddle.event.source.EndOfEvents;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.event.source.UnobservedOutcomes.ObservationToken;
import dev.heddle.event.source.UnobservedOutcomes.OpenStream;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A buffered stream of the values of a recurring event: a reader misses nothing that fires between
/// two reads.
///
/// The stream is subscribed from its opening to its closing. It holds up to its capacity; events
/// that arrive while it is full are dropped, and the reader gets an [EventsLostException] at their
/// place. A *latest* stream holds one item, which a newer one replaces.
///
/// A failure of the event is thrown to the reader, after the items. A failure that is not read is
/// reported once: when the stream is closed or garbage, or the loop ends.
///
/// For one reader at a time. **Thread** the loop's. **Cancelled** a cancelled read removes nothing.
///
/// {@snippet class=dev.heddle.snippets.FutureSnippetsTest region=stream}
///
/// @param <T> the type of the event's values
/// @since 0.1
public final class EventStream<T extends @Nullable Object> implements Iterable<T>, AutoCloseable {
  private static final Object NULL = new Object(); // an ArrayDeque rejects null

  private final EventSource source;
  private final int capacity;
  private final boolean latest;
  private final @Nullable Merging<T> merging;
  private final Subscription subscription = new Subscription();
  private final Ready ready;
  private final Object openedAt;

  // loop only
  private final ArrayDeque<Object> items = new ArrayDeque<>(); // a Lost marks a gap
  private int itemCount; // without the Lost markers
  private long lost;
  private @Nullable Throwable failure; // thrown after the items
  private @Nullable ObservationToken unreadFailure; // until the failure is read
  private boolean reading;
  private boolean ended; // unsubscribed: nothing more comes
  private boolean closed;
  private @Nullable Drained drained; // null: drained() was never called

  private EventStream(
      EventSource source, int capacity, boolean latest, @Nullable Merging<T> merging) {
    this.source = source;
    this.capacity = capacity;
    this.latest = latest;
    this.merging = merging;
    this.ready = new Ready(source.home());
    UnobservedOutcomes.prepare();
    this.openedAt = source.home().futures().callSite(null);
    if (source.isClosed()) {
      source.replay(subscription);
    }
    subscription.place = source.add(subscription);
    source.startDaemon();
    if (!ended && !source.isClosed()) {
      source.home().futures().opened(this);
    }
  }

  /// Opens a stream of an event.
  ///
  /// @param capacity how many items it holds, at least 1
  public static <T extends @Nullable Object> EventStream<T> of(Awaitable<T> source, int capacity) {
    checkCapacity(capacity);
    return open(source, capacity, false, null);
  }

  private static void checkCapacity(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a stream holds at least one item, not " + capacity);
    }
  }

  /// Opens a stream of an event for which only the newest firing matters.
  public static <T extends @Nullable Object> EventStream<T> latest(Awaitable<T> source) {
    return open(source, 1, true, null);
  }

  /// Opens a stream in which an item merges with an unread one of the same key, and keeps the place
  /// of that one.
  ///
  /// For events of the runtime: both functions run where the event fires, and take no lock.
  ///
  /// @param capacity how many items it holds, at least 1
  /// @param key of an item
  /// @param merge combines an unread item and a later one
  public static <T extends @Nullable Object> EventStream<T> merging(
      Awaitable<T> source,
      int capacity,
      Function<? super T, ? extends @Nullable Object> key,
      BinaryOperator<T> merge) {
    checkCapacity(capacity);
    return open(source, capacity, false, new Merging<>(key, merge));
  }

  private static <T extends @Nullable Object> EventStream<T> open(
      Awaitable<T> source, int capacity, boolean latest, @Nullable Merging<T> merging) {
    EventSource event = EventSource.of(source);
    event.home().checkOnLoop();
    return new EventStream<>(event, capacity, latest, merging);
  }

  // ---- reading ----

  /// The next item. **Suspends** unless there is one.
  ///
  /// @throws EventsLostException where items were lost; the next read continues after the gap
  /// @throws IllegalStateException when the stream is closed, or another coroutine is reading
  public T next() {
    awaitReady(() -> source.home().await(ready));
    return poll();
  }

  /// The next item, at most until the deadline. Else as [#next()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  public T next(Deadline deadline) {
    awaitReady(() -> source.home().await(ready, deadline));
    return poll();
  }

  /// The next item, at most until `token` fires. Else as [#next()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T next(Awaitable<?> token) {
    EventSource end = EventSource.of(token); // checks the token even if an item is available
    awaitReady(() -> source.home().await(ready, end));
    return poll();
  }

  private void awaitReady(Runnable wait) {
    if (reading) {
      throw new IllegalStateException(
          "another coroutine waits for the next of " + source.info() + "; open a stream for each");
    }
    if (ready.isClosed()) {
      return;
    }
    reading = true;
    try {
      wait.run();
    } finally {
      reading = false;
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the event fires with a T
  private T poll() {
    Object item = items.poll();
    if (item instanceof EventsLostException lostBySource) {
      throw lostBySource;
    }
    if (item instanceof Lost gap) {
      throw new EventsLostException(
          gap.count
              + " events were lost: the stream of "
              + source.info()
              + " was full ("
              + capacity
              + "); read faster, open it with a larger capacity, or read the state again",
          gap.count);
    }
    if (item != null) {
      itemCount--;
      fireIfDrained();
      Object taken = merging == null ? item : merging.take((Slot) item);
      return (T) (taken == NULL ? null : taken);
    }
    if (failure != null) {
      read();
      throw Rethrow.unchecked(failure);
    }
    throw new IllegalStateException(
        "the stream of " + source.info() + " is closed; open a new one");
  }

  private void read() {
    if (unreadFailure != null) {
      unreadFailure.observe();
      unreadFailure = null;
    }
  }

  /// Reads until the stream is closed; `hasNext()` suspends until there is an item.
  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        awaitReady(() -> source.home().await(ready));
        return !items.isEmpty() || failure != null;
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException("the stream of " + source.info() + " is closed");
        }
        return poll();
      }
    };
  }

  /// Fires while a read would not suspend; removes nothing. To use as a token, or as one of several
  /// awaitables.
  public Awaitable<?> ready() {
    return ready;
  }

  /// Fires while a read would end or fail without an item: for code that learns of the end, or of a
  /// failure, without reading.
  ///
  /// @since 0.1
  public Awaitable<?> drained() {
    Drained event = drained;
    if (event == null) {
      event = new Drained(source.home());
      drained = event;
    }
    return event;
  }

  private void fireIfDrained() {
    if (drained != null && drained.isClosed()) {
      drained.notifySubscribers();
    }
  }

  /// The number of items that have fired and were not read. A failure, or a gap where items were
  /// lost, is none.
  ///
  /// @since 0.1
  public int size() {
    return itemCount;
  }

  /// The number of items lost so far.
  public long lost() {
    return lost;
  }

  /// Unsubscribes. Unread items are dropped, an unread failure is reported, and a waiting read
  /// fails. **Suspends** never; a second call does nothing.
  @Override
  public void close() {
    if (!closed) {
      source.home().requireStack();
      closed = true;
      end();
      items.clear();
      itemCount = 0;
      // a waiting reader gets it, unless it is cancelled before; the loop's end has reported it
      if (unreadFailure != null && unreadFailure.isOpen() && !reading && failure != null) {
        read();
        source.home().futures().unobserved("unread failure of " + this, failure);
      }
      ready.notifySubscribers();
      fireIfDrained();
    }
  }

  private void end() {
    if (!ended) {
      ended = true;
      source.unsubscribe(subscription, subscription.place);
      source.stopDaemon();
      source.home().futures().closed(this);
    }
  }

  @Override
  public String toString() {
    return "a stream of " + source.info() + ", holding " + itemCount + " of " + capacity;
  }

  // ---- filling ----

  private static final class Lost {
    long count;
  }

  /// An unread item with which others may merge.
  private static final class Slot {
    final @Nullable Object key;
    Object item;

    Slot(@Nullable Object key, Object item) {
      this.key = key;
      this.item = item;
    }
  }

  /// The unread items of a merging stream, by their keys.
  private static final class Merging<T extends @Nullable Object> {
    private final Function<? super T, ? extends @Nullable Object> key;
    private final BinaryOperator<T> merge;
    private final Map<@Nullable Object, Slot> unread = new HashMap<>();

    Merging(Function<? super T, ? extends @Nullable Object> key, BinaryOperator<T> merge) {
      this.key = key;
      this.merge = merge;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the event fires with a T
    boolean merge(@Nullable Object next) {
      Slot slot = unread.get(key.apply((T) next));
      if (slot != null) {
        T before = (T) (slot.item == NULL ? null : slot.item);
        slot.item = Objects.requireNonNullElse((Object) merge.apply(before, (T) next), NULL);
      }
      return slot != null;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the event fires with a T
    Slot slot(Object item) {
      Slot slot = new Slot(key.apply((T) (item == NULL ? null : item)), item);
      unread.put(slot.key, slot);
      return slot;
    }

    Object take(Slot slot) {
      unread.remove(slot.key);
      return slot.item;
    }
  }

  private final class Subscription implements InlineCallback {
    int place; // among the source's subscribers

    @Override
    public void moved(Event event, int to) {
      place = to;
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      if (error instanceof EventsLostException) {
        items.add(error); // in order; more items may follow
      } else if (error instanceof EndOfEvents) {
        end(); // the items that are left can still be read
      } else if (error != null) {
        failed(error);
      } else if (merging != null && merging.merge(result)) {
        // already delivered
      } else if (latest) {
        items.clear();
        items.add(Objects.requireNonNullElse(result, NULL));
        itemCount = 1;
      } else if (itemCount < capacity) {
        Object item = Objects.requireNonNullElse(result, NULL);
        items.add(merging == null ? item : merging.slot(item));
        itemCount++;
      } else {
        lose();
      }
      if (source.isClosed()) {
        source.home().futures().closed(EventStream.this); // nothing comes any more
      }
      source.onConsumed();
      ready.notifySubscribers();
      fireIfDrained();
    }

    private void failed(Throwable error) {
      if (unreadFailure != null && failure != null) {
        FailureTable.merge(error, failure);
        read();
      }
      failure = error;
      if (!(error instanceof Cancellation)) {
        UnobservedOutcomes ledger = source.home().futures();
        unreadFailure = ledger.open(new OpenStream(openedAt), error);
      }
    }

    private void lose() {
      lost++;
      if (!(items.peekLast() instanceof Lost)) {
        items.add(new Lost());
      }
      if (items.peekLast() instanceof Lost gap) {
        gap.count++;
      }
    }
  }

  /// Whether a read would not suspend, as an event.
  private final class Ready extends EventSource {
    Ready(HomeLoop home) {
      super(home);
    }

    @Override
    public boolean isClosed() {
      return !items.isEmpty() || failure != null || ended;
    }

    @Override
    public boolean isDaemon() {
      return source.isDaemon();
    }

    void notifySubscribers() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "the next of " + source.info();
    }
  }

  /// Whether a read would get no item, and would not suspend, as an event.
  private final class Drained extends EventSource {
    Drained(HomeLoop home) {
      super(home);
    }

    @Override
    public boolean isClosed() {
      return itemCount == 0 && ready.isClosed();
    }

    @Override
    public boolean isDaemon() {
      return source.isDaemon();
    }

    void notifySubscribers() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "the end of " + source.info();
    }
  }
}
