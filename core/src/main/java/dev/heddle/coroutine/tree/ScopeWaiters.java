// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.Registration;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.coroutine.tree.ScopeCancellation.State;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Rethrow;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The coroutines that wait for a scope: its owner, which leaves it, and others, which join it. As
/// an event it fires each time no foreground member, or no background member, is left.
final class ScopeWaiters extends EventSource {
  private static final int MAX_ATTEMPTS = 2;

  private final ScopeNode scope;

  // loop only
  private int joiners; // will get its failure
  private @Nullable Ended ended;

  ScopeWaiters(ScopeNode scope) {
    super(scope.tree.scheduler());
    this.scope = scope;
  }

  // ---- joining ----

  void join(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> waiting = checkOutside();
    boolean wasCancelled = scope.isCancelled();
    try {
      awaitAsJoiner(waiting, false, deadline, token);
    } catch (Cancellation c) {
      if (waiting == scope.owner()) {
        scope.cancelMembers(c);
      }
      throw c;
    }
    Throwable met = null;
    if (waiting == scope.owner() && scope.isOpened() && scope.links.background() > 0) {
      scope.cancellation.cancelBackground();
      met = awaitAllShielded(waiting);
    }
    throwIfFailed();
    if (met != null) {
      throw Rethrow.unchecked(met);
    }
    if (wasCancelled) {
      throw new Cancellation("the scope was cancelled: " + scope.cancellation.reason());
    }
  }

  void awaitCancelled(Deadline deadline, @Nullable EventSource token) {
    awaitAsJoiner(checkCancelled(), true, deadline, token);
    throwIfFailed();
  }

  void awaitCancelled(FailureHandler handler) throws Exception {
    Objects.requireNonNull(handler, "handler");
    CoroutineNode<?> waiting = checkCancelled();
    scope.failures().handleWith(handler);
    awaitAsJoiner(waiting, true, Deadline.never(), null);
    scope.failures().passTo(handler);
  }

  private CoroutineNode<?> checkCancelled() {
    CoroutineNode<?> waiting = checkOutside();
    if (!scope.isCancelled()) {
      throw new IllegalStateException(
          "the scope has not been cancelled; cancel() it first, or join() it");
    }
    return waiting;
  }

  /// The current coroutine; throws if the scope's end waits for it.
  CoroutineNode<?> checkOutside() {
    scope.tree.scheduler().checkOnLoop();
    scope.refuseAtRoot("cannot be waited for");
    CoroutineNode<?> waiting = CoroutineNode.current();
    if (scope.links.encloses(waiting.memberOf()) || scope.links.encloses(waiting.serves())) {
      throw new IllegalStateException(
          waiting.describe()
              + " would wait for the scope that it belongs to or works for, and so for itself;"
              + " cancel() the scope, or wait from outside");
    }
    return waiting;
  }

  private void throwIfFailed() {
    ScopeFailures failures = scope.failuresOrNull();
    if (failures != null) {
      failures.throwIfFailed();
    }
  }

  // if the scope has failed by the end of the wait, this waiter gets the failure
  private void awaitAsJoiner(
      CoroutineNode<?> waiting, boolean all, Deadline deadline, @Nullable EventSource token) {
    boolean stays = false;
    Registration overdue =
        all && !scope.links.isEmpty() ? scope.tree.host().reportOverdue(scope) : null;
    joiners++;
    try {
      while (all ? !scope.links.isEmpty() : scope.links.foreground() > 0) {
        waiting.awaitEvent(this, deadline, token);
      }
      stays = true;
    } finally {
      joiners--;
      if (overdue != null) {
        overdue.close();
      }
      if (!stays && !scope.tree.scheduler().hasEnded()) {
        propagate();
      }
    }
  }

  private void propagate() {
    ScopeFailures failures = scope.failuresOrNull();
    if (failures != null) {
      failures.propagate();
    }
  }

  /// Whether a coroutine will get the scope's failure: it joins the scope, or awaits its end.
  boolean isJoined() {
    return joiners > 0 || (ended != null && ended.isAwaited());
  }

  // ---- leaving, in the order that ScopeNode shows ----

  /// Called when the body of a block has ended.
  ///
  /// @param bodyThrew null: it returned
  /// @return the throwable that the block must throw; null: none
  @Nullable Throwable endBlock(CoroutineNode<?> owner, @Nullable Throwable bodyThrew) {
    Throwable left = closeInner(owner);
    Throwable threw = Precedence.earlier(bodyThrew, left);
    boolean failedBefore = scope.failure() != null;
    if (scope.region() != null) {
      // the body has ended, so a member's failure must not cancel it
      owner.closeRegion(scope.region());
    }
    if (threw != null) {
      scope.cancelMembers(cancellationFor("the body of the scope failed: ", threw));
    }
    Throwable met = awaitMembers(owner);
    met = owner.met(met, scope.leave(owner));
    ScopeFailures failures = scope.failuresOrNull();
    Throwable failed = failures == null ? null : failures.takeAll();
    Throwable body = Precedence.earlier(threw, met);
    Throwable outcome =
        failedBefore && !Precedence.isCancellation(body)
            ? Precedence.ofScope(failed, body)
            : Precedence.first(body, failed);
    owner.postpone(left, outcome);
    owner.postpone(met, outcome);
    return outcome;
  }

  // no `+`: linking it may need more stack than is left
  private static Cancellation cancellationFor(String what, Throwable of) {
    return of instanceof Cancellation c
        ? c
        : new Cancellation(what.concat(of.getClass().getName()), of);
  }

  private @Nullable Throwable awaitMembers(CoroutineNode<?> owner) {
    Throwable met = awaitForeground(owner);
    if (met != null) {
      scope.cancelMembers(cancellationFor("its owner cannot wait for it: ", met));
    }
    if (scope.links.foreground() == 0 && scope.links.background() > 0) {
      scope.cancellation.cancelBackground();
    }
    return owner.met(met, awaitAllShielded(owner));
  }

  void close() {
    Throwable threw = null;
    if (scope.isUnowned()) {
      threw = endUnowned(checkOutside());
    } else if (scope.state() != State.CLOSED) {
      threw = closeFor(checkOwner());
    }
    if (threw != null) {
      throw Rethrow.unchecked(threw);
    }
  }

  private @Nullable Throwable endUnowned(CoroutineNode<?> closing) {
    Throwable met = awaitRemaining(closing);
    scope.closeIfOver();
    return closing.met(met, awaitAllShielded(closing)); // its handlers
  }

  // draining members may finish, unless the closing coroutine is cancelled
  private @Nullable Throwable awaitRemaining(CoroutineNode<?> closing) {
    if (scope.state() == State.DRAINING) {
      return awaitMembers(closing);
    }
    scope.cancelMembers(new Cancellation("the scope was closed"));
    return awaitAllShielded(closing);
  }

  /// Ends an opened scope when its owner leaves; returns what the owner must throw.
  @Nullable Throwable closeFor(CoroutineNode<?> owner) {
    assert scope.isOpened() : "a block ends by itself: " + scope;
    Throwable met = closeInner(owner);
    met = owner.met(met, scope.links.isEmpty() ? null : awaitRemaining(owner));
    met = owner.met(met, scope.leave(owner));
    ScopeFailures failures = scope.failuresOrNull();
    Throwable outcome = Precedence.first(met, failures == null ? null : failures.late());
    owner.postpone(met, outcome);
    return outcome;
  }

  // inner scopes that were left open
  private @Nullable Throwable closeInner(CoroutineNode<?> owner) {
    Throwable threw = null;
    for (ScopeNode inner = owner.ownBlock();
        inner != null && inner != scope;
        inner = owner.ownBlock()) {
      threw = Precedence.first(threw, inner.waiters.closeFor(owner));
    }
    return threw;
  }

  private CoroutineNode<?> checkOwner() {
    scope.refuseAtRoot("cannot be closed");
    CoroutineNode<?> closing = CoroutineNode.current();
    if (closing != scope.owner()) {
      throw new IllegalStateException(
          "a scope is closed by the coroutine that opened it: " + scope.owner());
    }
    if (scope.isBlock()) {
      throw new IllegalStateException("a scope block ends by itself; cancel() ends its members");
    }
    for (ScopeNode inner = closing.ownBlock();
        inner != null && inner != scope;
        inner = inner.outerBlock()) {
      if (inner.isBlock()) {
        throw new IllegalStateException(
            "the scope was closed from inside a block that it encloses; close it after the block");
      }
    }
    return closing;
  }

  /// Waits until no foreground member is left.
  ///
  /// @return the throwable that ended the wait: a cancellation, or what prevented waiting; null: no
  ///   member is left
  @Nullable Throwable awaitForeground(CoroutineNode<?> waiting) {
    Throwable met = null;
    while (met == null && scope.links.foreground() > 0) {
      met = awaitDrained(waiting);
    }
    return met;
  }

  /// Waits until no member is left, regardless of cancellations. A failed wait is repeated once and
  /// no more: a switch handler may throw each time, and a pinned frame stays pinned.
  ///
  /// @return the failure of the waits; members may be left then
  @Nullable Throwable awaitAllShielded(CoroutineNode<?> waiting) {
    if (scope.links.isEmpty() || scope.tree.isPastDeadline()) {
      return null;
    }
    Throwable met = null;
    int failed = 0;
    Registration overdue = scope.tree.host().reportOverdue(scope);
    waiting.enterShield();
    try {
      while (!scope.links.isEmpty() && !scope.tree.isPastDeadline() && failed < MAX_ATTEMPTS) {
        Throwable e = awaitDrained(waiting);
        // past the shutdown deadline shields have no effect, and a cancellation is expected
        if (e != null && !(e instanceof Cancellation && scope.tree.isPastDeadline())) {
          met = Precedence.first(met, e);
          failed++;
        }
      }
    } finally {
      waiting.exitShield();
      overdue.close();
    }
    return met;
  }

  private @Nullable Throwable awaitDrained(CoroutineNode<?> waiting) {
    try {
      waiting.awaitEvent(this);
      return null;
    } catch (Throwable e) {
      if (scope.tree.scheduler().hasEnded()) {
        throw e; // now on a JDK thread: must not touch the loop's state
      }
      return e;
    }
  }

  // ---- events ----

  void drained() {
    fire(null, null);
  }

  @Override
  public String info() {
    List<CoroutineNode<?>> left = scope.links.awaitedMembers();
    return left.size() == 1
        ? left.getFirst().label() + " of its scope"
        : "the " + left.size() + " members of its scope";
  }

  @Override
  public String brief() {
    return "the members of its scope";
  }

  @Override
  public List<CoroutineNode<?>> holders() {
    return scope.links.awaitedMembers();
  }

  void fireEnded() {
    ScopeFailures failures = scope.failuresOrNull();
    if (ended != null) {
      if (failures != null && ended.isAwaited()) {
        failures.observed();
      }
      ended.fireEnded();
    }
    propagate(); // its observers may have left
  }

  EventSource ended() {
    Ended e = ended;
    if (e == null) {
      e = new Ended();
      ended = e;
    }
    return e;
  }

  private final class Ended extends EventSource {
    Ended() {
      super(scope.tree.scheduler());
    }

    @Override
    public boolean isClosed() {
      return scope.isClosed();
    }

    @Override
    public void replay(EventCallback callback) {
      if (!isClosed()) {
        super.replay(callback);
      }
      ScopeFailures failures = scope.failuresOrNull();
      if (failures != null && InlineCallback.accepts(callback)) {
        failures.observed();
      }
      callback.onEvent(this, null, scope.failure());
    }

    boolean isAwaited() {
      return hasObserver(true);
    }

    void fireEnded() {
      fire(null, scope.failure());
    }

    @Override
    public String info() {
      return "the end of a " + scope.describe();
    }

    @Override
    public List<CoroutineNode<?>> holders() {
      return scope.links.awaitedMembers();
    }
  }
}
