// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Rethrow;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Those who wait for a scope: its owner, who leaves, and others, who join it.
abstract sealed class AwaitedBranch extends CancellableBranch permits ScopeNode {
  private static final int ATTEMPTS = 2;

  private final Drained drained = new Drained();

  // loop only
  private int joining; // those who will get its failure
  private @Nullable Ended ended;

  AwaitedBranch(LoopRoot loop, @Nullable ScopeNode parent, @Nullable CoroutineNode<?> owner) {
    super(loop, parent, owner);
  }

  /// Whether its owner ends it when it pleases.
  abstract boolean isOpened();

  abstract ScopeFailures failures();

  abstract @Nullable ScopeFailures failuresOrNull();

  // ---- joining ----

  /// See [dev.heddle.coroutine.Scope#join()].
  public final void join() {
    join(Deadline.never(), null);
  }

  /// See [dev.heddle.coroutine.Scope#join(Deadline)].
  public final void join(Deadline deadline) {
    join(deadline, null);
  }

  /// See [dev.heddle.coroutine.Scope#join(Awaitable)].
  public final void join(Awaitable<?> token) {
    join(Deadline.never(), EventSource.of(token));
  }

  private void join(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> waiting = refuseInside();
    boolean wasCancelled = isCancelled();
    try {
      awaitAsJoiner(waiting, false, deadline, token);
    } catch (Cancellation c) {
      if (waiting == owner) {
        cancelMembers(c);
      }
      throw c;
    }
    Throwable met = null;
    if (waiting == owner && isOpened() && background() > 0) {
      cancelBackground();
      met = awaitAllShielded(waiting);
    }
    throwIfFailed();
    if (met != null) {
      throw Rethrow.unchecked(met);
    }
    if (wasCancelled) {
      throw new Cancellation("the scope was cancelled: " + reason());
    }
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled()].
  public final void awaitCancelled() {
    awaitAsJoiner(refuseUncancelled(), true, Deadline.never(), null);
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(Deadline)].
  public final void awaitCancelled(Deadline deadline) {
    awaitAsJoiner(refuseUncancelled(), true, deadline, null);
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(Awaitable)].
  public final void awaitCancelled(Awaitable<?> token) {
    awaitAsJoiner(refuseUncancelled(), true, Deadline.never(), EventSource.of(token));
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(FailureHandler)].
  public final void awaitCancelled(FailureHandler handler) throws Exception {
    Objects.requireNonNull(handler, "handler");
    CoroutineNode<?> waiting = refuseUncancelled();
    failures().handleWith(handler);
    awaitAsJoiner(waiting, true, Deadline.never(), null);
    failures().giveTo(handler);
  }

  private CoroutineNode<?> refuseUncancelled() {
    CoroutineNode<?> waiting = refuseInside();
    if (!isCancelled()) {
      throw new IllegalStateException(
          "the scope has not been cancelled; cancel() it first, or join() it");
    }
    return waiting;
  }

  private void awaitAsJoiner(
      CoroutineNode<?> waiting, boolean all, Deadline deadline, @Nullable EventSource token) {
    boolean stays = false;
    Overdue overdue = all && !isEmpty() ? Overdue.watch(self()) : null;
    joining++;
    try {
      while (all ? !isEmpty() : foreground() > 0) {
        waiting.awaitEvent(drained, deadline, token);
      }
      stays = true;
    } finally {
      joining--;
      if (overdue != null) {
        overdue.stop();
      }
      if (!stays && !loop.scheduler().hasEnded()) {
        passUp();
      }
    }
  }

  final CoroutineNode<?> refuseInside() {
    loop.scheduler().checkOnLoop();
    refuseAtRoot("cannot be waited for");
    CoroutineNode<?> waiting = CoroutineNode.current();
    RareData rare = waiting.rareOrNull();
    if (encloses(waiting.memberOf()) || (rare != null && encloses(rare.serves))) {
      throw new IllegalStateException(
          waiting.describe()
              + " would wait for the scope that it belongs to or works for, and so for itself;"
              + " cancel() the scope, or wait from outside");
    }
    return waiting;
  }

  private void passUp() {
    ScopeFailures failures = failuresOrNull();
    if (failures != null) {
      failures.passUp();
    }
  }

  private void throwIfFailed() {
    ScopeFailures failures = failuresOrNull();
    if (failures != null) {
      failures.throwIfFailed();
    }
  }

  /// Whether somebody is to get its failure: who joins it, or awaits its end.
  final boolean isJoined() {
    return joining > 0 || (ended != null && ended.isAwaited());
  }

  // ---- leaving ----

  /// Waits until nobody is left in the foreground.
  ///
  /// @return what ended the wait: a cancellation, or what kept it from waiting; null: nobody is
  ///   left
  final @Nullable Throwable awaitForeground(CoroutineNode<?> waiting) {
    Throwable met = null;
    while (met == null && foreground() > 0) {
      met = awaitDrained(waiting);
    }
    return met;
  }

  /// Waits until nobody is left, whoever cancels. A wait that fails is tried a second time, and no
  /// more: a switch handler may throw each time, and a pinned frame stays pinned.
  ///
  /// @return what the waits failed with; there may be somebody left then
  final @Nullable Throwable awaitAllShielded(CoroutineNode<?> waiting) {
    if (isEmpty() || loop.isPastDeadline()) {
      return null;
    }
    Throwable met = null;
    int failed = 0;
    Overdue overdue = Overdue.watch(self());
    waiting.shield();
    try {
      while (!isEmpty() && !loop.isPastDeadline() && failed < ATTEMPTS) {
        Throwable e = awaitDrained(waiting);
        // past the shutdown deadline nothing shields any more, and no cancellation is news
        if (e != null && !(e instanceof Cancellation && loop.isPastDeadline())) {
          met = Precedence.first(met, e);
          failed++;
        }
      }
    } finally {
      waiting.unshield();
      overdue.stop();
    }
    return met;
  }

  private @Nullable Throwable awaitDrained(CoroutineNode<?> waiting) {
    try {
      waiting.awaitEvent(drained);
      return null;
    } catch (Throwable e) {
      if (loop.scheduler().hasEnded()) {
        throw e; // on a thread of the JDK's by now: nothing of the loop's is to be touched
      }
      return e;
    }
  }

  // ---- what they wait for ----

  @Override
  final void foregroundGone() {
    drained.tell();
    closeIfOver();
  }

  @Override
  final void backgroundGone() {
    drained.tell();
    closeIfOver();
  }

  final void tellOfItsEnd() {
    ScopeFailures failures = failuresOrNull();
    if (ended != null) {
      if (failures != null && ended.isAwaited()) {
        failures.taken();
      }
      ended.tell();
    }
    passUp(); // those who were to take it may have left
  }

  /// The end of the scope.
  public final EventSource event() {
    Ended e = ended;
    if (e == null) {
      e = new Ended();
      ended = e;
    }
    return e;
  }

  /// Fires each time nothing is left of it in the foreground, or in the background.
  private final class Drained extends EventSource {
    Drained() {
      super(loop.scheduler());
    }

    void tell() {
      fire(null, null);
    }

    @Override
    public String info() {
      List<CoroutineNode<?>> left = awaitedMembers();
      return left.size() == 1
          ? left.getFirst().label() + " of its scope"
          : "the " + left.size() + " members of its scope";
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return awaitedMembers();
    }
  }

  /// The end of the scope.
  private final class Ended extends EventSource {
    Ended() {
      super(loop.scheduler());
    }

    @Override
    public boolean isClosed() {
      return state() == State.CLOSED;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!isClosed()) {
        super.replay(callback);
      }
      ScopeFailures failures = failuresOrNull();
      if (failures != null && InlineCallback.takes(callback)) {
        failures.taken();
      }
      callback.onEvent(this, null, self().failure());
    }

    boolean isAwaited() {
      return hasTaker(true);
    }

    void tell() {
      fire(null, self().failure());
    }

    @Override
    public String info() {
      return "the end of a " + self().describe();
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return awaitedMembers();
    }
  }
}
