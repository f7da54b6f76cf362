// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.ScopeCancellation.State;
import dev.heddle.internal.Rethrow;
import org.jspecify.annotations.Nullable;

/// How coroutines end a scope and leave it: the order is drawn in [ScopeNode].
final class ScopeExit {
  private ScopeExit() {}

  /// The body of a block is over.
  ///
  /// @param bodyThrew null: it returned
  /// @return what the block is to throw; null: nothing
  static @Nullable Throwable endBlock(
      ScopeNode scope, CoroutineNode<?> owner, @Nullable Throwable bodyThrew) {
    Throwable left = closeInner(scope, owner);
    Throwable threw = Precedence.earlier(bodyThrew, left);
    boolean failedBefore = scope.failure() != null;
    if (scope.region() != null) {
      // the body is over: a member's failure has nothing left to cancel here
      owner.closeRegion(scope.region());
    }
    if (threw != null) {
      scope.cancelMembers(cancellationFor("the body of the scope failed: ", threw));
    }
    Throwable met = awaitMembers(scope, owner);
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

  // no `+`: linking it takes more stack than there may be
  private static Cancellation cancellationFor(String what, Throwable of) {
    return of instanceof Cancellation c
        ? c
        : new Cancellation(what.concat(of.getClass().getName()), of);
  }

  private static @Nullable Throwable awaitMembers(ScopeNode scope, CoroutineNode<?> owner) {
    Throwable met = scope.waiters.awaitForeground(owner);
    if (met != null) {
      scope.cancelMembers(cancellationFor("its owner cannot wait for it: ", met));
    }
    if (scope.links.foreground() == 0 && scope.links.background() > 0) {
      scope.cancellation.cancelBackground();
    }
    return owner.met(met, scope.waiters.awaitAllShielded(owner));
  }

  /// The current coroutine closes a scope.
  static void close(ScopeNode scope) {
    Throwable threw = null;
    if (scope.isUnowned()) {
      threw = endUnowned(scope, scope.waiters.checkOutside());
    } else if (scope.state() != State.CLOSED) {
      threw = closeFor(scope, checkOwner(scope));
    }
    if (threw != null) {
      throw Rethrow.unchecked(threw);
    }
  }

  private static @Nullable Throwable endUnowned(ScopeNode scope, CoroutineNode<?> closing) {
    Throwable met = awaitRemaining(scope, closing);
    scope.closeIfOver();
    return closing.met(met, scope.waiters.awaitAllShielded(closing)); // its handlers
  }

  // those that were left to finish may do so, unless the coroutine that closes is cancelled
  private static @Nullable Throwable awaitRemaining(ScopeNode scope, CoroutineNode<?> closing) {
    if (scope.state() == State.DRAINING) {
      return awaitMembers(scope, closing);
    }
    scope.cancelMembers(new Cancellation("the scope was closed"));
    return scope.waiters.awaitAllShielded(closing);
  }

  /// Ends an opened scope: its owner leaves.
  ///
  /// @return what is to be thrown for it
  static @Nullable Throwable closeFor(ScopeNode scope, CoroutineNode<?> owner) {
    assert scope.isOpened() : "a block ends by itself: " + scope;
    Throwable met = closeInner(scope, owner);
    met = owner.met(met, scope.links.isEmpty() ? null : awaitRemaining(scope, owner));
    met = owner.met(met, scope.leave(owner));
    ScopeFailures failures = scope.failuresOrNull();
    Throwable outcome = Precedence.first(met, failures == null ? null : failures.late());
    owner.postpone(met, outcome);
    return outcome;
  }

  // scopes opened inside this one and left open
  private static @Nullable Throwable closeInner(ScopeNode scope, CoroutineNode<?> owner) {
    Throwable threw = null;
    for (ScopeNode inner = owner.ownBlock();
        inner != null && inner != scope;
        inner = owner.ownBlock()) {
      threw = Precedence.first(threw, closeFor(inner, owner));
    }
    return threw;
  }

  private static CoroutineNode<?> checkOwner(ScopeNode scope) {
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
}
