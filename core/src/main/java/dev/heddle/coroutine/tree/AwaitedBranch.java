// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventCallback;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Those who wait for a scope: its owner, who leaves, and others, who join it.
abstract sealed class AwaitedBranch extends CancellableBranch permits ScopeNode {
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
    join(Deadline.never(), token.event());
  }

  private void join(Deadline deadline, @Nullable Event token) {
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
    if (waiting == owner && isOpened() && background() > 0) {
      cancelBackground();
      awaitAllShielded(waiting);
    }
    throwIfFailed();
    if (wasCancelled) {
      throw new Cancellation("the scope has been cancelled");
    }
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled()].
  public final void awaitCancelled() {
    awaitCancelled(Deadline.never(), null);
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(Deadline)].
  public final void awaitCancelled(Deadline deadline) {
    awaitCancelled(deadline, null);
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(Awaitable)].
  public final void awaitCancelled(Awaitable<?> token) {
    awaitCancelled(Deadline.never(), token.event());
    throwIfFailed();
  }

  /// See [dev.heddle.coroutine.Scope#awaitCancelled(FailureHandler)].
  public final void awaitCancelled(FailureHandler handler) throws Exception {
    failures().handleWith(Objects.requireNonNull(handler, "handler"));
    awaitCancelled(Deadline.never(), null);
    failures().giveTo(handler);
  }

  private void awaitCancelled(Deadline deadline, @Nullable Event token) {
    CoroutineNode<?> waiting = refuseInside();
    if (!isCancelled()) {
      throw new IllegalStateException(
          "the scope has not been cancelled; cancel() it first, or join() it");
    }
    awaitAsJoiner(waiting, true, deadline, token);
  }

  private void awaitAsJoiner(
      CoroutineNode<?> waiting, boolean all, Deadline deadline, @Nullable Event token) {
    boolean stays = false;
    joining++;
    try {
      while (all ? !isEmpty() : foreground() > 0) {
        waiting.awaitEvent(drained, deadline, token);
      }
      stays = true;
    } finally {
      joining--;
      if (!stays && joining == 0 && !loop.scheduler().hasEnded()) {
        nobodyJoins();
      }
    }
  }

  final CoroutineNode<?> refuseInside() {
    loop.scheduler().checkOnLoop();
    refuseAtRoot("waited for");
    CoroutineNode<?> waiting = CoroutineNode.current();
    if (encloses(waiting.memberOf())) {
      throw new IllegalStateException(
          waiting.describe()
              + " would wait for the scope that it belongs to, and so for itself; cancel() the"
              + " scope, or wait from outside");
    }
    return waiting;
  }

  private void nobodyJoins() {
    ScopeFailures failures = failuresOrNull();
    if (failures != null) {
      failures.nobodyJoins();
    }
  }

  private void throwIfFailed() {
    ScopeFailures failures = failuresOrNull();
    if (failures != null) {
      failures.throwIfFailed();
    }
  }

  final boolean isJoined() {
    return joining > 0;
  }

  // ---- leaving ----

  final void awaitForeground(CoroutineNode<?> waiting) {
    while (foreground() > 0) {
      waiting.awaitEvent(drained);
    }
  }

  final void awaitAllShielded(CoroutineNode<?> waiting) {
    waiting.shield();
    try {
      while (!isEmpty() && !loop.isPastDeadline()) {
        awaitDrained(waiting);
      }
    } finally {
      waiting.unshield();
    }
  }

  private void awaitDrained(CoroutineNode<?> waiting) {
    try {
      waiting.awaitEvent(drained);
    } catch (Cancellation c) {
      // only past the shutdown deadline, when nothing shields any more
      if (!loop.isPastDeadline()) {
        throw c;
      }
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
    if (ended != null) {
      ended.tell();
    }
  }

  /// The end of the scope.
  public final Event event() {
    Ended e = ended;
    if (e == null) {
      e = new Ended();
      ended = e;
    }
    return e;
  }

  /// Fires each time nothing is left of it in the foreground, or in the background.
  private final class Drained extends Event {
    Drained() {
      super(loop.scheduler());
    }

    void tell() {
      fire(null, null);
    }

    @Override
    public String info() {
      List<CoroutineNode<?>> left = members();
      return left.size() == 1
          ? left.getFirst().label() + " of its scope"
          : "the " + left.size() + " members of its scope";
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return members();
    }
  }

  /// The end of the scope.
  private final class Ended extends Event {
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
      callback.onEvent(this, null, self().failure());
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
      return members();
    }
  }
}
