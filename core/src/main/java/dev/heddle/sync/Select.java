// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Transform;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.sync.Broadcast.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Waits for the first of several operations, performs that one, and no other.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=select}
///
/// The operations are branches: a receive, a send, a lock, a permit, a timeout, the outcome of
/// something awaitable. The branch whose operation is possible first is performed, then its code
/// runs, in the coroutine that called [#await()]. The others have no effect: nothing is received or
/// sent, no lock is taken. When several are possible at once, the first one that was added wins;
/// with [#fair()], any of them.
///
/// Code that returns nothing makes [#await()] return null. That of a branch with a value is always
/// a [Transform]: Java could not tell from `item -> list.add(item)` which of two kinds is meant.
///
/// A `Select` can be awaited again and again, by one coroutine at a time.
///
/// **Thread** the loop's. A [dev.heddle.thread.ThreadChannel] is no branch: another thread would
/// send to it, or receive from it, without knowing that another branch was chosen at that moment.
/// **Cancelled** no branch has been performed, except as [Channel#send] says.
///
/// @param <R> the type of what the code of the branches returns
/// @since 0.1
public final class Select<R extends @Nullable Object> {
  /*
   * First each branch tries its operation. If none is possible, each joins its queue or subscribes
   * to its event, all in one wait of the coroutine. Whatever comes first ends the wait: a waiter is
   * served only while its coroutine waits (WaitQueue), and an event is taken only if nothing was
   * before it. So exactly one branch is chosen, and the others leave.
   *
   * If the wait ends otherwise, the chosen one leaves too, and hands on what it was given. A send
   * whose item was received cannot be undone: it is final, and then the wait does not end
   * otherwise. A failure of an awaited event ends the wait as one: what comes later does not
   * replace it (Waker), since nothing else would report it.
   *
   * A branch that only heard that it should look may find nothing (SelectBranch.Read). Then none is
   * chosen, all leave, and the select begins anew.
   *
   * I1. Of the branches of one await(), the operation of exactly one is performed, or of none if it
   *     throws. [SelectModelTest]
   * I2. After it no branch is left in a queue, or subscribed. [SelectModelTest]
   *
   * Sources. trap-1, trap-4, trap-7; Go's select, Kotlin's select expression.
   */
  private final List<SelectBranch<R>> branches = new ArrayList<>();
  private boolean fair;
  private int[] order = new int[0]; // of the tries, if fair; a permutation
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
    return add(new SelectBranch.Receive<>(channel, code, null));
  }

  /// Adds a receive, with other code for a channel that is closed and has nothing left.
  ///
  /// @return this select
  public <T> Select<R> onReceive(
      Channel<T> channel, Transform<? super T, ? extends R> code, Body<? extends R> whenClosed) {
    Objects.requireNonNull(whenClosed, "whenClosed");
    return add(new SelectBranch.Receive<>(channel, code, whenClosed));
  }

  /// Adds a receive of a broadcast's reader. Its code gets the item.
  ///
  /// [#await()] throws what [Subscription#receive()] throws: an [dev.heddle.EventsLostException]
  /// when items were lost, a [dev.heddle.ChannelClosedException] when nothing is left.
  ///
  /// @return this select
  public <T> Select<R> onReceive(
      Subscription<T> subscription, Transform<? super T, ? extends R> code) {
    return add(new SelectBranch.Read<>(subscription, code, null));
  }

  /// Adds a receive of a broadcast's reader, with other code for a broadcast that is closed and has
  /// nothing left for this reader, and for a closed subscription.
  ///
  /// @return this select
  public <T> Select<R> onReceive(
      Subscription<T> subscription,
      Transform<? super T, ? extends R> code,
      Body<? extends R> whenClosed) {
    Objects.requireNonNull(whenClosed, "whenClosed");
    return add(new SelectBranch.Read<>(subscription, code, whenClosed));
  }

  /// Adds a send. Its code runs when the item was sent.
  ///
  /// When the channel is closed, [#await()] throws the [dev.heddle.ChannelClosedException].
  ///
  /// @return this select
  public <T> Select<R> onSend(Channel<T> channel, T item, Body<? extends R> code) {
    return add(new SelectBranch.Send<>(channel, item, code, null));
  }

  /// Adds a send, with other code for a channel that is closed.
  ///
  /// @return this select
  public <T> Select<R> onSend(
      Channel<T> channel, T item, Body<? extends R> code, Body<? extends R> whenClosed) {
    Objects.requireNonNull(whenClosed, "whenClosed");
    return add(new SelectBranch.Send<>(channel, item, code, whenClosed));
  }

  /// Adds a send whose code returns nothing. Otherwise as [#onSend(Channel, Object, Body)].
  ///
  /// @return this select
  public <T> Select<R> onSend(Channel<T> channel, T item, Action code) {
    return add(new SelectBranch.Send<>(channel, item, Select.<R>body(code), null));
  }

  /// Adds a send and other code for a channel that is closed, which both return nothing. Otherwise
  /// as [#onSend(Channel, Object, Body, Body)].
  ///
  /// @return this select
  public <T> Select<R> onSend(Channel<T> channel, T item, Action code, Action whenClosed) {
    return onSend(channel, item, Select.<R>body(code), Select.<R>body(whenClosed));
  }

  /// Adds a lock of a mutex. Its code runs with the mutex locked, and has to unlock it.
  ///
  /// @return this select
  public Select<R> onLock(Mutex mutex, Body<? extends R> code) {
    Objects.requireNonNull(mutex, "mutex");
    return add(new SelectBranch.Acquire<>(mutex::tryLock, mutex::waiter, mutex::leave, code));
  }

  /// Adds a lock whose code returns nothing. Otherwise as [#onLock(Mutex, Body)].
  ///
  /// @return this select
  public Select<R> onLock(Mutex mutex, Action code) {
    return onLock(mutex, Select.<R>body(code));
  }

  /// Adds the acquiring of a permit. Its code runs with the permit, and has to release it.
  ///
  /// @return this select
  public Select<R> onAcquire(Semaphore semaphore, Body<? extends R> code) {
    Objects.requireNonNull(semaphore, "semaphore");
    return add(
        new SelectBranch.Acquire<>(
            semaphore::tryAcquire, semaphore::waiter, semaphore::leave, code));
  }

  /// Adds the acquiring of a permit, with code that returns nothing. Otherwise as
  /// [#onAcquire(Semaphore, Body)].
  ///
  /// @return this select
  public Select<R> onAcquire(Semaphore semaphore, Action code) {
    return onAcquire(semaphore, Select.<R>body(code));
  }

  /// Adds a wait for the outcome of a future, a coroutine, an event or a timer. Its code gets the
  /// value; a failure is thrown by [#await()].
  ///
  /// @return this select
  public <T extends @Nullable Object> Select<R> onAwait(
      Awaitable<T> awaitable, Transform<? super T, ? extends R> code) {
    return add(new SelectBranch.Await<T, R>(EventSource.of(awaitable), code));
  }

  /// Adds a timeout. Its code runs when no other branch was possible for so long; the time begins
  /// anew with each [#await()]. For a point in time that stays the same, add a
  /// [timer][dev.heddle.Heddle#timer(Duration)] by [#onAwait].
  ///
  /// @return this select
  public Select<R> onTimeout(Duration time, Body<? extends R> code) {
    return add(new SelectBranch.Timeout<>(time, code));
  }

  /// Adds a timeout whose code returns nothing. Otherwise as [#onTimeout(Duration, Body)].
  ///
  /// @return this select
  public Select<R> onTimeout(Duration time, Action code) {
    return onTimeout(time, Select.<R>body(code));
  }

  private Select<R> add(SelectBranch<R> branch) {
    branches.add(branch);
    return this;
  }

  @SuppressWarnings("NullAway") // the documentation says that await() then returns null
  private static <R extends @Nullable Object> Body<R> body(Action code) {
    Objects.requireNonNull(code, "code");
    return () -> {
      code.run();
      return null;
    };
  }

  /// Tries the branches in an order of chance, a new one each time, instead of that in which they
  /// were added. So of those that are possible at once each is as likely as the others, and a busy
  /// first branch does not keep the others from being performed.
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
    return await(Deadline.never(), null);
  }

  /// Performs the first branch that is possible, but waits no longer than a deadline; the code of a
  /// branch is not bounded by it. Otherwise as [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first; no branch was performed
  public R await(Deadline deadline) {
    return await(deadline, null);
  }

  /// Performs the first branch that is possible, but waits no longer than until `token` fires.
  /// Otherwise as [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first; no branch was performed
  public R await(Awaitable<?> token) {
    return await(Deadline.never(), EventSource.of(token));
  }

  private R await(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = CoroutineNode.current();
    self.scheduler().consumeBudget(self); // first: it may throw
    begin(self);
    SelectBranch<R> chosen = tryAll(self);
    while (chosen == null) {
      chosen = awaitFirst(self, deadline, token);
      if (chosen == null) {
        chosen = tryAll(self);
      }
    }
    return chosen.run();
  }

  /// Performs the first branch that is possible now. **Suspends** never, unless the code does.
  ///
  /// @return what its code returns; null when no branch is possible now
  /// @throws dev.heddle.CoroutineException when the code threw a checked exception; unchecked
  ///   exceptions and errors are thrown as they are
  /// @throws IllegalStateException without branches
  public @Nullable R tryAwait() {
    SelectBranch<R> chosen = tryOnce();
    return chosen == null ? null : chosen.run();
  }

  /// Performs the first branch that is possible now, or else runs `otherwise`. Otherwise as
  /// [#tryAwait()].
  public R tryAwait(Body<? extends R> otherwise) {
    SelectBranch<R> chosen = tryOnce();
    return chosen == null ? Bodies.<R>run(otherwise) : chosen.run();
  }

  /// Performs the first branch that is possible now, or else runs an action. Otherwise as
  /// [#tryAwait()].
  public R tryAwait(Action otherwise) {
    return tryAwait(Select.<R>body(otherwise));
  }

  private @Nullable SelectBranch<R> tryOnce() {
    CoroutineNode<?> self = CoroutineNode.current();
    begin(self);
    return tryAll(self);
  }

  private void begin(CoroutineNode<?> self) {
    if (branches.isEmpty()) {
      throw new IllegalStateException("a select without branches waits for ever; add one first");
    }
    if (awaited) {
      throw new IllegalStateException(
          "another coroutine awaits this select; make one for each coroutine");
    }
    for (SelectBranch<R> branch : branches) {
      branch.begin(self);
    }
  }

  private @Nullable SelectBranch<R> tryAll(CoroutineNode<?> self) {
    int size = branches.size();
    for (int i = 0; i < size; i++) {
      SelectBranch<R> branch = branches.get(fair ? drawn(i, self.scheduler()) : i);
      if (branch.tryNow(self)) {
        return branch;
      }
    }
    return null;
  }

  // one of those not drawn before: a shuffle that goes no further than the tries
  private int drawn(int tried, Scheduler home) {
    int size = branches.size();
    if (order.length != size) {
      order = new int[size];
      for (int i = 0; i < size; i++) {
        order[i] = i;
      }
    }
    int at = tried + home.nextTurn(size - tried);
    int branch = order[at];
    order[at] = order[tried];
    order[tried] = branch;
    return branch;
  }

  // null: none was chosen after all
  private @Nullable SelectBranch<R> awaitFirst(
      CoroutineNode<?> self, Deadline deadline, @Nullable EventSource token) {
    StackGuard.requireRoom(); // also for branches that leave: they hand on what they were given
    self.renewWithTimeout(deadline, token);
    awaited = true;
    SelectBranch<R> chosen = null;
    try {
      branches.forEach(branch -> branch.join(self));
      var _ = self.scheduler().suspend(self);
      chosen = chosen();
    } catch (Throwable e) {
      chosen = chosenFinally(self, e);
      if (chosen == null) {
        branches.forEach(branch -> branch.superseded(e));
        throw e;
      }
    } finally {
      awaited = false;
      for (SelectBranch<R> branch : branches) {
        if (branch != chosen) {
          branch.leave();
        }
      }
    }
    return chosen;
  }

  private @Nullable SelectBranch<R> chosen() {
    for (SelectBranch<R> branch : branches) {
      if (branch.isChosen()) {
        return branch;
      }
    }
    return null;
  }

  private @Nullable SelectBranch<R> chosenFinally(CoroutineNode<?> self, Throwable thrown) {
    for (SelectBranch<R> branch : branches) {
      if (branch.isFinal(self, thrown)) {
        return branch;
      }
    }
    return null;
  }
}
