// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.tree.ScopeCancellation.State;
import dev.heddle.internal.Rethrow;
import org.jspecify.annotations.Nullable;

/// How coroutines end a scope and leave it; [ScopeNode] shows the order.
final class ScopeExit {
  private ScopeExit() {}

  /// Called when the body of a block has ended.
  ///
  /// @param bodyThrew null: it returned
  /// @return the throwable that the block must throw; null: none
  static @Nullable Throwable endBlock(
      ScopeNode scope, CoroutineNode<?> owner, @Nullable Throwable bodyThrew) {
    Throwable left = closeInner(scope, owner);
    Throwable threw = Precedence.earlier(bodyThrew, left);
    boolean failedBefore = scope.failure() != null;
    if (scope.region() != null) {
      // the body has ended, so a member's failure must not cancel it
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

  // no `+`: linking it may need more stack than is left
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

  // draining members may finish, unless the closing coroutine is cancelled
  private static @Nullable Throwable awaitRemaining(ScopeNode scope, CoroutineNode<?> closing) {
    if (scope.state() == State.DRAINING) {
      return awaitMembers(scope, closing);
    }
    scope.cancelMembers(new Cancellation("the scope was closed"));
    return scope.waiters.awaitAllShielded(closing);
  }

  /// Ends an opened scope when its owner leaves.
  ///
  /// @return the throwable that the owner must throw; null: none
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

  // inner scopes that were left open
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
