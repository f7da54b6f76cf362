// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Body;
import dev.heddle.Transform;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Waits for the first of several operations, performs that one, and no other.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=select}
///
/// The operations are branches: a receive, a send, a lock, the outcome of something awaitable. The
/// branch whose operation is possible first is performed, then its code runs, in the coroutine that
/// called [#await()]. The others have no effect: nothing is received or sent, no lock is taken.
/// When several are possible at once, the first one that was added wins; with [#fair()], each in
/// its turn.
///
/// A `Select` can be awaited again and again, by one coroutine at a time.
///
/// **Thread** the loop's. **Cancelled** no branch has been performed, except as [Channel#send]
/// says.
///
/// @param <R> the type of what the code of the branches returns
/// @since 0.2
public final class Select<R extends @Nullable Object> {
  /*
   * First each branch tries its operation. If none is possible, each joins its queue or subscribes
   * to its event, all in one wait of the coroutine. Whatever comes first ends the wait: a waiter is
   * served only while its coroutine waits (WaitQueue), and an event is taken only if nothing was
   * before it. So exactly one branch is chosen, and the others leave.
   *
   * If the wait ends otherwise, the chosen one leaves too, and hands on what it was given. A send
   * whose item was received cannot be undone: it is final, and then the wait does not end otherwise.
   *
   * Sources. trap-1, trap-4, trap-7; Go's select, Kotlin's select expression.
   */
  private final List<Branch> branches = new ArrayList<>();
  private boolean fair;
  private boolean awaited;

  private Select() {}

  /// A select without branches.
  public static <R extends @Nullable Object> Select<R> create() {
    return new Select<>();
  }

  // ---- branches ----

  /// Adds a receive. Its code gets the item.
  ///
  /// When the channel is closed and nothing is left in it, [#await()] throws the
  /// [dev.heddle.ChannelClosedException].
  ///
  /// @return this select
  public <T> Select<R> onReceive(Channel<T> channel, Transform<? super T, ? extends R> code) {
    return add(new Receive<>(channel, code, null));
  }

  /// Adds a receive, with other code for a channel that is closed and has nothing left.
  ///
  /// @return this select
  public <T> Select<R> onReceive(
      Channel<T> channel, Transform<? super T, ? extends R> code, Body<? extends R> whenClosed) {
    return add(new Receive<>(channel, code, Objects.requireNonNull(whenClosed, "whenClosed")));
  }

  /// Adds a send. Its code runs when the item was sent.
  ///
  /// When the channel is closed, [#await()] throws the [dev.heddle.ChannelClosedException].
  ///
  /// @return this select
  public <T> Select<R> onSend(Channel<T> channel, T item, Body<? extends R> code) {
    return add(new Send<>(channel, item, code));
  }

  /// Adds a lock of a mutex. Its code runs with the mutex locked, and has to unlock it.
  ///
  /// @return this select
  public Select<R> onLock(Mutex mutex, Body<? extends R> code) {
    return add(new Lock(mutex, code));
  }

  /// Adds a wait for the outcome of a future, a coroutine, an event or a timer. Its code gets the
  /// value; a failure is thrown by [#await()].
  ///
  /// @return this select
  public <T extends @Nullable Object> Select<R> onAwait(
      Awaitable<T> awaitable, Transform<? super T, ? extends R> code) {
    return add(new Await<T>(EventSource.of(awaitable), code));
  }

  private Select<R> add(Branch branch) {
    branches.add(branch);
    return this;
  }

  /// Gives each branch its turn when several are possible at once, so that a busy first branch does
  /// not keep the others from being performed.
  ///
  /// @return this select
  public Select<R> fair() {
    fair = true;
    return this;
  }

  // ---- waiting ----

  /// Performs the first branch that is possible, and returns what its code returns. **Suspends**
  /// until there is one.
  ///
  /// @throws dev.heddle.Cancellation when the coroutine is cancelled while it waits
  /// @throws dev.heddle.CoroutineException when the code threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  /// @throws IllegalStateException without branches
  public R await() {
    CoroutineNode<?> self = CoroutineNode.current();
    self.scheduler().consumeBudget(self); // first: it may throw
    Branch chosen = tryAll(self);
    return (chosen == null ? awaitFirst(self) : chosen).run();
  }

  /// Performs the first branch that is possible now, or else runs `otherwise`. **Suspends** never,
  /// unless the code does.
  ///
  /// @throws dev.heddle.CoroutineException when the code threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  public R awaitNow(Body<? extends R> otherwise) {
    Branch chosen = tryAll(CoroutineNode.current());
    return chosen == null ? Bodies.<R>run(otherwise) : chosen.run();
  }

  private @Nullable Branch tryAll(CoroutineNode<?> self) {
    if (branches.isEmpty()) {
      throw new IllegalStateException("a select without branches waits for ever; add one first");
    }
    if (awaited) {
      throw new IllegalStateException(
          "another coroutine awaits this select; make one for each coroutine");
    }
    int size = branches.size();
    int first = fair ? self.scheduler().nextTurn(size) : 0;
    for (int i = 0; i < size; i++) {
      Branch branch = branches.get((first + i) % size);
      if (branch.tryNow(self)) {
        return branch;
      }
    }
    return null;
  }

  private Branch awaitFirst(CoroutineNode<?> self) {
    StackGuard.requireRoom(); // also for branches that leave: they hand on what they were given
    self.renew();
    awaited = true;
    Branch chosen = null;
    try {
      branches.forEach(branch -> branch.join(self));
      var _ = self.scheduler().suspend(self);
      chosen = chosen();
    } finally {
      awaited = false;
      for (Branch branch : branches) {
        if (branch != chosen) {
          branch.leave();
        }
      }
    }
    return chosen;
  }

  private Branch chosen() {
    for (Branch branch : branches) {
      if (branch.isChosen()) {
        return branch;
      }
    }
    throw new IllegalStateException("the wait of a select ended without a branch");
  }

  /// One of the operations.
  private abstract class Branch {
    /// Performs the operation if that needs no wait.
    abstract boolean tryNow(CoroutineNode<?> self);

    /// Makes the coming wait one for this operation, too.
    abstract void join(CoroutineNode<?> self);

    /// Whether the wait ended because this operation was performed.
    abstract boolean isChosen();

    /// Another one was chosen, or none.
    abstract void leave();

    /// Runs the code, after the operation was performed.
    abstract R run();
  }

  private final class Receive<T> extends Branch {
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

  private final class Send<T> extends Branch {
    private final Channel<T> channel;
    private final T item;
    private final Body<? extends R> code;
    private @Nullable Waiter waiter;

    Send(Channel<T> channel, T item, Body<? extends R> code) {
      this.channel = Objects.requireNonNull(channel, "channel");
      this.item = Objects.requireNonNull(item, "item");
      this.code = Objects.requireNonNull(code, "code");
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      waiter = null;
      return channel.trySend(item);
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
    void leave() {
      if (waiter != null) {
        channel.leaveSender(waiter);
      }
    }

    @Override
    R run() {
      if (waiter != null && waiter.item() != null) {
        throw channel.takesNoMore();
      }
      return Bodies.run(code);
    }
  }

  private final class Lock extends Branch {
    private final Mutex mutex;
    private final Body<? extends R> code;
    private @Nullable Waiter waiter;

    Lock(Mutex mutex, Body<? extends R> code) {
      this.mutex = Objects.requireNonNull(mutex, "mutex");
      this.code = Objects.requireNonNull(code, "code");
    }

    @Override
    boolean tryNow(CoroutineNode<?> self) {
      waiter = null;
      return mutex.tryLock();
    }

    @Override
    void join(CoroutineNode<?> self) {
      Waiter joined = mutex.waiter(self);
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
        mutex.leave(waiter);
      }
    }

    @Override
    R run() {
      return Bodies.run(code);
    }
  }

  private final class Await<T extends @Nullable Object> extends Branch implements InlineCallback {
    private final EventSource event;
    private final Transform<? super T, ? extends R> code;
    private @Nullable CoroutineNode<?> waiting;
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
        event.replay(this);
      }
      return fired;
    }

    @Override
    void join(CoroutineNode<?> self) {
      waiting = self;
      self.resumeWhen(event, this);
    }

    @Override
    public boolean accepts() {
      return waiting != null && waiting.accepts();
    }

    @Override
    public void onEvent(Event source, @Nullable Object value, @Nullable Throwable thrown) {
      if (waiting == null || waiting.accepts()) {
        fired = true;
        result = value;
        failure = thrown;
        if (waiting != null) {
          waiting.resolve(null);
        }
      }
    }

    @Override
    boolean isChosen() {
      return fired;
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
}
