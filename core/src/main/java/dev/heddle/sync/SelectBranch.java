// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Body;
import dev.heddle.Transform;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Nanos;
import dev.heddle.internal.Rethrow;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue.Waiter;
import dev.heddle.sync.Broadcast.Subscription;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One of the operations of a [Select].
///
/// **Thread** the loop's.
abstract class SelectBranch<R extends @Nullable Object> {
  /*
   * Calls.  begin(), then until one is chosen:
   *         tryNow() ─> true: run()
   *                  └> false: join() ─> the wait ─> isChosen() ─> run()
   *                                               └> leave()
   */

  /// A select begins.
  void begin(CoroutineNode<?> self) {}

  /// Performs the operation if that needs no wait.
  abstract boolean tryNow(CoroutineNode<?> self);

  /// Makes the coming wait one for this operation, too.
  abstract void join(CoroutineNode<?> self);

  /// Whether the wait ended because this operation was performed.
  abstract boolean isChosen();

  /// Whether this operation was performed, and cannot be undone, although the wait ended with
  /// `thrown`; it sees to that.
  boolean isFinal(CoroutineNode<?> self, Throwable thrown) {
    return false;
  }

  /// The wait ended with `by`, and no operation was performed.
  void superseded(Throwable by) {}

  /// Another one was chosen, or none.
  abstract void leave();

  /// Runs the code, after the operation was performed.
  abstract R run();

  /// Receives from a channel.
  static final class Receive<T, R extends @Nullable Object> extends SelectBranch<R> {
    private final Channel<T> channel;
    private final Transform<? super T, ? extends R> code;
    private final @Nullable Body<? extends R> whenClosed;
    private @Nullable T item;
    private @Nullable Waiter waiter;

    Receive(
        Channel<T> channel,
        Transform<? super T, ? extends R> code,
        @Nullable Body<? extends R> whenClosed) {
      this.channel = Objects.requireNonNull(channel, "channel");
      this.code = Objects.requireNonNull(code, "code");
      this.whenClosed = whenClosed;
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      waiter = null;
      item = channel.poll();
      return item != null || channel.isClosed();
    }

    @Override
    void join(CoroutineNode<?> self) {
      Waiter joined = channel.receiver();
      waiter = joined;
      joined.join(self);
    }

    @Override
    boolean isChosen() {
      return waiter != null && waiter.isServed();
    }

    @Override
    void leave() {
      if (waiter != null) {
        channel.leave(waiter);
      }
    }

    @Override
    R run() {
      T received = waiter == null ? item : channel.itemOf(waiter);
      item = null;
      if (received == null) {
        if (whenClosed == null) {
          throw channel.nothingLeft();
        }
        return Bodies.run(whenClosed);
      }
      return Bodies.run(() -> code.apply(received));
    }
  }

  /// Sends to a channel.
  static final class Send<T, R extends @Nullable Object> extends SelectBranch<R> {
    private final Channel<T> channel;
    private final T item;
    private final Body<? extends R> code;
    private final @Nullable Body<? extends R> whenClosed;
    private boolean refused; // it was closed before a wait
    private @Nullable Waiter waiter;

    Send(
        Channel<T> channel,
        T item,
        Body<? extends R> code,
        @Nullable Body<? extends R> whenClosed) {
      this.channel = Objects.requireNonNull(channel, "channel");
      this.item = Objects.requireNonNull(item, "item");
      this.code = Objects.requireNonNull(code, "code");
      this.whenClosed = whenClosed;
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      waiter = null;
      refused = whenClosed != null && channel.isClosed();
      return refused || channel.trySend(item);
    }

    @Override
    void join(CoroutineNode<?> self) {
      Waiter joined = channel.sender(item);
      waiter = joined;
      joined.join(self);
    }

    @Override
    boolean isChosen() {
      return waiter != null && waiter.isServed();
    }

    @Override
    boolean isFinal(CoroutineNode<?> self, Throwable thrown) {
      boolean sent = waiter != null && channel.isSent(waiter);
      if (sent) {
        SentSender.met(thrown, self, channel.describe());
      }
      return sent;
    }

    @Override
    void leave() {
      if (waiter != null) {
        channel.leaveSender(waiter);
      }
    }

    @Override
    R run() {
      if (!refused && (waiter == null || waiter.item() == null)) {
        return Bodies.run(code);
      }
      if (whenClosed == null) {
        throw channel.takesNoMore();
      }
      return Bodies.run(whenClosed);
    }
  }

  /// Locks a mutex, or acquires a permit.
  static final class Acquire<R extends @Nullable Object> extends SelectBranch<R> {
    private final BooleanSupplier tryAcquire;
    private final Function<CoroutineNode<?>, Waiter> newWaiter;
    private final Consumer<Waiter> undo;
    private final Body<? extends R> code;
    private @Nullable Waiter waiter;

    /// @param undo called for a waiter of the second, whether it was served or not
    Acquire(
        BooleanSupplier tryAcquire,
        Function<CoroutineNode<?>, Waiter> newWaiter,
        Consumer<Waiter> undo,
        Body<? extends R> code) {
      this.tryAcquire = tryAcquire;
      this.newWaiter = newWaiter;
      this.undo = undo;
      this.code = Objects.requireNonNull(code, "code");
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      waiter = null;
      return tryAcquire.getAsBoolean();
    }

    @Override
    void join(CoroutineNode<?> self) {
      Waiter joined = newWaiter.apply(self);
      waiter = joined;
      joined.join(self);
    }

    @Override
    boolean isChosen() {
      return waiter != null && waiter.isServed();
    }

    @Override
    void leave() {
      if (waiter != null) {
        undo.accept(waiter);
      }
    }

    @Override
    R run() {
      return Bodies.run(code);
    }
  }

  /// Receives from a broadcast. A reader is not handed an item, but told to look; so it may find
  /// that another coroutine has received the item meanwhile, and then no branch is chosen.
  static final class Read<T, R extends @Nullable Object> extends SelectBranch<R>
      implements InlineCallback {
    private final Subscription<T> subscription;
    private final Transform<? super T, ? extends R> code;
    private final @Nullable Body<? extends R> whenClosed;
    private @Nullable CoroutineNode<?> waiting;
    private boolean woken;
    private @Nullable T item;

    Read(
        Subscription<T> subscription,
        Transform<? super T, ? extends R> code,
        @Nullable Body<? extends R> whenClosed) {
      this.subscription = Objects.requireNonNull(subscription, "subscription");
      this.code = Objects.requireNonNull(code, "code");
      this.whenClosed = whenClosed;
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      item = subscription.poll();
      return item != null || subscription.isAtEnd();
    }

    @Override
    void join(CoroutineNode<?> self) {
      subscription.begin(self);
      woken = false;
      waiting = self;
      self.resumeWhen(subscription.sent(), this);
    }

    @Override
    public boolean accepts() {
      return waiting != null && waiting.accepts();
    }

    @Override
    public void onEvent(Event source, @Nullable Object value, @Nullable Throwable failure) {
      CoroutineNode<?> self = waiting;
      if (self != null && self.accepts() && subscription.isReady()) {
        woken = true;
        self.resolve(null);
      }
    }

    @Override
    boolean isChosen() {
      if (!woken) {
        return false;
      }
      item = subscription.poll();
      boolean chosen = item != null || subscription.isAtEnd();
      if (chosen) {
        leave();
      }
      return chosen;
    }

    @Override
    void leave() {
      if (waiting != null) {
        waiting = null;
        subscription.end();
      }
    }

    @Override
    R run() {
      T received = item;
      item = null;
      if (received == null) {
        if (whenClosed == null) {
          throw subscription.nothingLeft();
        }
        return Bodies.run(whenClosed);
      }
      return Bodies.run(() -> code.apply(received));
    }
  }

  /// Waits for an event.
  static final class Await<T extends @Nullable Object, R extends @Nullable Object>
      extends SelectBranch<R> implements InlineCallback {
    private final EventSource event;
    private final Transform<? super T, ? extends R> code;
    private @Nullable CoroutineNode<?> waiting;
    private boolean probing; // whether it has fired already
    private boolean fired;
    private @Nullable Object result;
    private @Nullable Throwable failure;

    Await(EventSource event, Transform<? super T, ? extends R> code) {
      this.event = event;
      this.code = Objects.requireNonNull(code, "code");
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      event.checkHomeLoop(self.scheduler());
      fired = false;
      waiting = null;
      if (event.isClosed()) {
        probing = true; // so the event knows that its failure is thrown
        try {
          event.replay(this);
        } finally {
          probing = false;
        }
      }
      return fired;
    }

    @Override
    void join(CoroutineNode<?> self) {
      waiting = self;
      self.resumeWhen(event, this);
    }

    // not a failure that comes after the outcome of another branch: no coroutine would get it
    @Override
    public boolean accepts() {
      return probing || (waiting != null && waiting.accepts());
    }

    @Override
    public void onEvent(Event source, @Nullable Object value, @Nullable Throwable thrown) {
      if (!accepts()) {
        return;
      }
      fired = true;
      result = value;
      failure = thrown;
      if (waiting != null) {
        wake(waiting, thrown);
      }
    }

    // as a failure: a cancellation, a token or a deadline that comes later does not replace it
    private static void wake(CoroutineNode<?> waiting, @Nullable Throwable thrown) {
      if (thrown == null) {
        waiting.resolve(null);
      } else {
        waiting.fail(thrown);
      }
    }

    @Override
    boolean isChosen() {
      return fired;
    }

    @Override
    void superseded(Throwable by) {
      event.onSuperseded(by);
    }

    @Override
    void leave() {
      waiting = null;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the event fires with a T, which may be null
    R run() {
      if (failure != null) {
        throw Rethrow.unchecked(failure);
      }
      event.onConsumed();
      Object value = result;
      result = null;
      return Bodies.run(() -> code.apply((T) value));
    }
  }

  /// Waits for a time, which begins with the select.
  static final class Timeout<R extends @Nullable Object> extends SelectBranch<R> {
    private final Duration time;
    private final Body<? extends R> code;
    private @Nullable Await<@Nullable Object, R> timer; // of the current select

    Timeout(Duration time, Body<? extends R> code) {
      this.time = Objects.requireNonNull(time, "time");
      this.code = Objects.requireNonNull(code, "code");
    }

    @Override
    void begin(CoroutineNode<?> self) {
      Scheduler home = self.scheduler();
      long end = Nanos.after(home.nanoTime(), time);
      timer = new Await<>(new TimerEvent(home, home.timers(), end, false), _ -> code.run());
    }

    private Await<@Nullable Object, R> timer() {
      return Objects.requireNonNull(timer);
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      return timer().tryNow(self);
    }

    @Override
    void join(CoroutineNode<?> self) {
      timer().join(self);
    }

    @Override
    boolean isChosen() {
      return timer().isChosen();
    }

    @Override
    void leave() {
      timer().leave();
    }

    @Override
    R run() {
      return timer().run();
    }
  }
}
