// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.coroutine.FailureHandler;
import dev.heddle.coroutine.tree.ScopeCancellation.State;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The routing of the unobserved failures of one scope.
final class ScopeFailures {
  /*
   * Upwards. An unobserved failure comes from a member, from a completion handler, or from a scope
   * below without an owner. It goes, in this order,
   *
   *   to the failure handler; a failure from below goes to the handler for children first
   *   to its member, in a supervised scope, for a later await; unobserved, it is reported
   *   to the scope, which fails: all in it are cancelled, and it ends with this failure
   *
   * and from a failed scope it continues
   *
   *   BLOCK   to the caller of the block: the block throws it
   *   OPENED  to the coroutine that joins the scope; unjoined, to the parent's handler for
   *           children, or it is reported
   *   CHILD   to the coroutines that join or await it at that moment; with none, or when they leave
   *           without it, to the parent, as above
   *   ROOT    to the loop, which stops with it
   *
   * A failed scope has one failure, the first; if that is the cancellation of another coroutine, a
   * later failure supersedes it. Later failures are merged into the report of the first until that
   * has been handed over to a joiner, a handler or the parent. The receiver does not read its
   * report again, so a still later failure is routed separately: from a CHILD to the parent, from
   * other scopes to the owner, which has yet to leave. The same holds for a failure after the scope
   * is closed (of a completion handler). A supervised parent keeps the first failure of a child for
   * a coroutine that joins the child; a later one has no observer and is reported at once.
   *
   * A report names the merged failures, too: code that gets only the logged report would never see
   * them otherwise.
   *
   * A fatal failure (OutOfMemoryError) takes none of these ways: it ends the loop without calling
   * user code.
   *
   * I1. Each failure takes exactly one of these ways, once. [FailureTest, ScopeHandlerTest,
   *     LostFailureTest, RandomLossTest]
   *
   * Cost. Constant for each failure: a kept failure is found by hash, in whatever order the
   * failures are awaited.
   *
   * Sources. loop-10, loop-12, loop-36, loop-37, loop-98, loop-117, loop-125 to loop-134; trap-18,
   * trap-19, trap-21, trap-23.
   */
  // only past the shutdown deadline: until then no owner leaves a scope before its members end
  private static final String LATE = "a member failed after the end of its scope";

  private final ScopeNode scope;
  private final CoroutineTree tree;

  // loop only
  private @Nullable Throwable failure;
  private @Nullable CoroutineNode<?> failed; // the member that failed
  private boolean thrown; // an observer has got it
  private boolean propagated; // passed to the parent, or reported
  private @Nullable Throwable late; // of a completion handler, for the leaving owner
  private final Set<Unobserved> unobservedFailures =
      new LinkedHashSet<>(0); // by identity: no equals()
  private @Nullable FailureHandler handler;
  private @Nullable FailureHandler childHandler;

  ScopeFailures(ScopeNode scope) {
    this.scope = scope;
    this.tree = scope.tree;
  }

  /// A member or child scope whose failure a supervised scope keeps for a later observer.
  sealed interface Unobserved permits CoroutineNode, ScopeNode {
    String describe();

    @Nullable Throwable failure();
  }

  void handleWith(FailureHandler replacement) {
    handler = replacement;
  }

  void handleChildrenWith(FailureHandler replacement) {
    childHandler = replacement;
  }

  // ---- arrival ----

  /// Routes the failure of a member, or of a member's completion handlers.
  void unobserved(CoroutineNode<?> member, Throwable unobserved) {
    FailureHandler mine = handler;
    // the caller of run() observes main
    if (mine != null && !member.isMain()) {
      handle(mine, scope, member, unobserved);
    } else if (!scope.isSupervised()) {
      fail(member, unobserved);
    } else if (member.failure() != unobserved) {
      tree.host().report("a completion handler failed: of " + member.describe(), unobserved);
    } else if (scope.state() != State.CLOSED) {
      unobservedFailures.add(member);
    } else {
      tree.host().report(LATE, unobserved);
    }
  }

  void onObserversGone(CoroutineNode<?> member) {
    Throwable failed = member.failure();
    if (failed != null && !(failed instanceof Cancellation && member.isCancelled())) {
      unobserved(member, failed);
    }
  }

  void childFailed(ScopeNode child, CoroutineNode<?> member, Throwable unobserved) {
    FailureHandler mine = childHandler != null ? childHandler : handler;
    if (mine != null) {
      handle(mine, child, member, unobserved);
    } else if (!scope.isSupervised()) {
      fail(member, unobserved);
    } else if (child.failure() != unobserved) {
      tree.host()
          .report(
              "a further failure of " + child.describe() + " that failed or ended before",
              unobserved);
    } else if (scope.state() != State.CLOSED) {
      unobservedFailures.add(child);
    } else {
      fail(member, unobserved);
    }
  }

  private void handle(
      FailureHandler asked, ScopeNode of, CoroutineNode<?> member, Throwable unobserved) {
    runDetached(
        "failure handler",
        () -> {
          try {
            asked.onFailure(of, member, unobserved);
          } catch (Throwable e) {
            FailureTable.throwIfFatal(e);
            handlerThrew(member, unobserved, CoroutineException.of(e));
          }
        });
  }

  private void handlerThrew(CoroutineNode<?> member, Throwable unobserved, Throwable threw) {
    Throwable cut = CoroutineNode.current().endedBy(threw);
    Throwable further = cut == null ? threw : Precedence.carriedBy(threw);
    if (further == null) {
      // past the shutdown deadline the handler is reported as late, but its failure must be
      // reported, too
      tree.host()
          .report(
              "the shutdown deadline cancelled the failure handler for this failure", unobserved);
      return;
    }
    FailureTable.merge(further, unobserved);
    fail(member, further);
  }

  void fail(CoroutineNode<?> member, Throwable with) {
    if (scope.state() == State.CLOSED) {
      failLate(member, with);
      return;
    }
    if (failure != null) {
      failFurther(member, failure, with);
      return;
    }
    failure = with;
    failed = member;
    String what = with.getClass().getName();
    scope.cancelMembers(new Cancellation("another member of the scope failed: " + what, with));
    CancelRegion body = scope.region();
    if (body != null) {
      body.request("a member of the scope failed: " + what, with);
    }
    if (scope.parent() == null) {
      tree.host().rootFailed(with);
    } else {
      propagate();
    }
  }

  private void failFurther(CoroutineNode<?> member, Throwable first, Throwable with) {
    if (first == with) {
      return;
    }
    if (thrown || propagated) {
      failLate(member, with);
      return;
    }
    Throwable kept = Precedence.ofScope(first, with);
    if (kept == with) {
      failure = with;
      failed = member;
    }
    if (scope.parent() == null) {
      tree.host().rootFailed(with);
    }
  }

  /// Passes on the failure of a scope without an owner, unless an observer has got it or will get
  /// it.
  void propagate() {
    ScopeNode above = scope.parent();
    if (failure == null || failed == null || above == null || thrown || propagated) {
      return;
    }
    if (scope.isUnowned() && !scope.waiters.isJoined()) {
      propagated = true;
      above.failures().childFailed(scope, failed, failure);
    }
  }

  private void failLate(CoroutineNode<?> member, Throwable with) {
    ScopeNode above = scope.parent();
    if (scope.isUnowned() && above != null) {
      above.failures().childFailed(scope, member, with);
    } else if (tree.isPastDeadline()) {
      // an owner may have left it already: past the deadline it waits for no member
      tree.host().report(LATE, with);
    } else if (late == null) {
      late = with;
    } else {
      FailureTable.merge(late, with);
    }
  }

  // ---- observation ----

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable Throwable late() {
    return late;
  }

  void throwIfFailed() {
    if (failure != null) {
      observed();
      throw Rethrow.unchecked(failure);
    }
  }

  /// Called when an observer has got the scope's failure, if it has one.
  void observed() {
    thrown = failure != null;
    ScopeNode above = scope.parent();
    if (thrown && above != null) {
      above.observed(scope);
    }
  }

  /// The throwable of a block: the scope's failure, with what came late.
  @Nullable Throwable takeAll() {
    observed();
    return Precedence.ofScope(failure, late);
  }

  /// Passes the scope's failure directly to a handler, unless it was observed.
  void passTo(FailureHandler asked) throws Exception {
    if (failure != null && failed != null && !thrown) {
      observed();
      asked.onFailure(scope, failed, failure);
    }
  }

  void observed(Unobserved holder) {
    unobservedFailures.remove(holder);
  }

  /// Called when kept failures can no longer be observed.
  void reportUnobserved() {
    for (Unobserved holder : unobservedFailures) {
      tree.host().report("unobserved failure of " + holder.describe(), holder.failure());
    }
    unobservedFailures.clear();
  }

  /// Called when the owner leaves a scope, perhaps without a join.
  void ownerLeaves() {
    ScopeNode above = scope.parent();
    if (failure == null || thrown || failed == null || above == null) {
      return;
    }
    propagated = true;
    ScopeFailures theirs = above.failuresOrNull();
    if (theirs != null && theirs.childHandler != null) {
      theirs.handle(theirs.childHandler, scope, failed, failure);
    } else {
      tree.host().report("a member failed in a scope that was not joined", failure);
    }
  }

  // ---- handlers ----

  /// Runs the completion handlers of an ended member, or of the scope if `member` is null.
  <S> void complete(S ended, Completions<S> handlers, @Nullable CoroutineNode<?> member) {
    runDetached(
        "completion handlers",
        () -> {
          CoroutineNode<?> servant = CoroutineNode.current();
          Throwable threw = handlers.run(ended, e -> servant.endedBy(e) != null);
          if (threw != null) {
            CoroutineNode<?> of = member == null ? servant : member;
            FailureTable.cameFrom(threw, () -> FailedCoroutine.of(of));
            unobserved(of, threw);
          }
        });
  }

  /// Runs handlers as a coroutine that no cancellation of this scope reaches. The scope does not
  /// end before it. It belongs to the nearest scope that is still open, as do its spawns.
  private void runDetached(String what, Action handlers) {
    ScopeNode host = scope;
    for (ScopeNode above = host.parent();
        host.state() != State.OPEN && above != null;
        above = host.parent()) {
      host = above;
    }
    CoroutineNode<?> servant = host.newInternal(what, handlers);
    servant.coldState().serves = scope;
    scope.links.gainForeground();
    host.admit(servant);
  }
}
