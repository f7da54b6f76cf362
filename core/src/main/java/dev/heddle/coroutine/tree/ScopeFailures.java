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

/// Where the failures go that nobody awaits, in one scope.
final class ScopeFailures {
  /*
   * From below to above. A failure that no code awaits comes from a member, from a completion
   * handler, or from a scope below that has no owner. It goes, in this order,
   *
   *   to the failure handler; a failure from below goes to the handler for children first
   *   to its member, in a supervised scope, for a later await; unobserved, it is reported
   *   to the scope, which fails: all in it are cancelled, and it ends with this failure
   *
   * and from a failed scope it goes on
   *
   *   BLOCK   to the caller of the block: the block throws it
   *   OPENED  to the coroutine that joins the scope; unjoined, to the parent's handler for
   *           children, or it is reported
   *   CHILD   to the coroutines that join or await it at that moment; with none, or when they leave
   *           without it, to the parent, as above
   *   ROOT    to the loop, which stops with it
   *
   * A failed scope has one failure, the first; a cancellation of another coroutine that failed it
   * gives way to a later failure. Later failures are merged into the report of the first until
   * that has been handed over: to a joiner, a handler, the parent. The receiver will not look at
   * its report again, so a still later failure goes a way of its own: from a CHILD to the parent,
   * from the others to the owner, who has still to leave. The same holds for a failure that comes
   * when the scope is closed already (a completion handler's). A supervised parent keeps the first
   * failure of a child for a coroutine that joins the child; no code can take a later one, so it
   * is reported at once.
   *
   * A report names the merged failures, too: what is only in the report of a failure that is
   * logged has reached no code.
   *
   * The end of the JVM itself (OutOfMemoryError) passes all this by: it ends the loop, and no code
   * of the program is called for it.
   *
   * I1. Each failure goes exactly one of these ways, and once. [FailureTest, ScopeHandlerTest,
   *     LostFailureTest, RandomLossTest]
   *
   * Cost. Constant for each failure: that a failure was taken is found by hash, in whatever order
   * the failures are awaited.
   *
   * Sources. loop-10, loop-12, loop-36, loop-37, loop-98, loop-117, loop-125 to loop-134; trap-18,
   * trap-19, trap-21, trap-23.
   */
  // past the shutdown deadline only: until then nobody leaves a scope before its members do
  private static final String LATE = "a member failed after the end of its scope";

  private final ScopeNode scope;
  private final CoroutineTree tree;

  // loop only
  private @Nullable Throwable failure;
  private @Nullable CoroutineNode<?> failed; // whose failure it is
  private boolean thrown; // somebody has got it
  private boolean propagated; // it was the parent's, or reported
  private @Nullable Throwable late; // a completion handler's, for whoever leaves
  private final Set<Unobserved> unobservedFailures =
      new LinkedHashSet<>(0); // by identity: neither has equals()
  private @Nullable FailureHandler handler;
  private @Nullable FailureHandler childHandler;

  ScopeFailures(ScopeNode scope) {
    this.scope = scope;
    this.tree = scope.tree;
  }

  /// A failure that a supervised scope keeps, for whoever awaits what failed.
  sealed interface Unobserved permits CoroutineNode, ScopeNode {
    /// What failed, for reports.
    String describe();

    /// What it failed with.
    @Nullable Throwable failure();
  }

  /// Replaces the handler.
  void handleWith(FailureHandler replacement) {
    handler = replacement;
  }

  /// Replaces the handler for scopes below.
  void handleChildrenWith(FailureHandler replacement) {
    childHandler = replacement;
  }

  // ---- they come ----

  /// Of a member, or of what it has asked for at its end.
  void unobserved(CoroutineNode<?> member, Throwable unobserved) {
    FailureHandler mine = handler;
    // whoever called run() awaits main
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

  /// Of a member that somebody awaited as it failed, and nobody does any more.
  void onObserversGone(CoroutineNode<?> member) {
    Throwable failed = member.failure();
    if (failed != null && !(failed instanceof Cancellation && member.isCancelled())) {
      unobserved(member, failed);
    }
  }

  /// Of a scope below.
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
      // past the shutdown deadline: that it was late is said of the handler, but not what it was
      // for
      tree.host()
          .report(
              "the shutdown deadline cancelled the failure handler for this failure", unobserved);
      return;
    }
    FailureTable.merge(further, unobserved);
    fail(member, further);
  }

  /// The scope fails, whatever handlers it has.
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

  /// Hands on the failure of a scope that nobody owns, unless somebody has it, or is to get it.
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
      // who owned the scope may have left it already, for nobody is awaited any more
      tree.host().report(LATE, with);
    } else if (late == null) {
      late = with;
    } else {
      FailureTable.merge(late, with);
    }
  }

  // ---- they are taken ----

  @Nullable Throwable failure() {
    return failure;
  }

  @Nullable Throwable late() {
    return late;
  }

  /// Throws the scope's failure, if it has one, to somebody who waited for that.
  void throwIfFailed() {
    if (failure != null) {
      observed();
      throw Rethrow.unchecked(failure);
    }
  }

  /// Somebody has got the scope's failure, if it has one.
  void observed() {
    thrown = failure != null;
    ScopeNode above = scope.parent();
    if (thrown && above != null) {
      above.observed(scope);
    }
  }

  /// What a block throws: the scope's failure, and what came late.
  @Nullable Throwable takeAll() {
    observed();
    return Precedence.ofScope(failure, late);
  }

  /// Gives the scope's failure, unless somebody has it, to a handler, here and now.
  void passTo(FailureHandler asked) throws Exception {
    if (failure != null && failed != null && !thrown) {
      observed();
      asked.onFailure(scope, failed, failure);
    }
  }

  /// Somebody has taken what was kept here.
  void observed(Unobserved holder) {
    unobservedFailures.remove(holder);
  }

  /// Nobody can take any more what was kept here.
  void reportUnobserved() {
    for (Unobserved holder : unobservedFailures) {
      tree.host().report("unobserved failure of " + holder.describe(), holder.failure());
    }
    unobservedFailures.clear();
  }

  /// The owner leaves a scope that it may not have joined.
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

  /// Runs the completion handlers of what has ended; what they throw is a failure that nobody
  /// awaits.
  ///
  /// @param member whose handlers they are; null: the scope's own
  <S> void complete(S ended, Completions<S> handlers, @Nullable CoroutineNode<?> member) {
    runDetached(
        "completion handlers",
        () -> {
          CoroutineNode<?> servant = CoroutineNode.current();
          Throwable threw = handlers.run(ended, e -> servant.endedBy(e) != null);
          if (threw != null) {
            CoroutineNode<?> of = member == null ? servant : member;
            FailureTable.cameFrom(threw, of::spawnTrace);
            unobserved(of, threw);
          }
        });
  }

  /// Runs handlers as a coroutine that no cancellation of this scope reaches. The scope does not
  /// end before it. It belongs to the nearest scope that is still open, and so does what it spawns.
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
