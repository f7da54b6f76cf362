// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.CancelMode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.StackReserve;
import dev.heddle.reactor.TimerEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The cancellation of a scope, and of all that stands below it.
abstract sealed class CancellableBranch extends Branch permits AwaitedBranch {
  /*
   * States.  from               event                                      to         what happens
   *          OPEN               cancel(), a failure, close()               CANCELLED  no more members; those there are cancelled,
   *                                                                                   the block's body too, and all below
   *          OPEN               cancel(LET_STARTED_FINISH)                 LETTING    no more members; those not started are
   *                                                                                   cancelled, the others become spare
   *          LETTING            cancel(), a failure, the foreground is     CANCELLED  as above
   *                             gone, the loop needs nobody who is left
   *          OPEN, LETTING,     nothing is left, and its owner leaves it   CLOSED     completion handlers run, scopes below close
   *          CANCELLED
   *          CANCELLED          nothing is left, and nobody owns it        CLOSED     the same
   *
   * From above to below. One walk tells all members of all scopes below, without recursion: a tree may be deeper than a stack. It
   * stops at scopes that are cancelled already (what stands below them now are those who clean up, and they have their grace),
   * and at those behind a protect block: whatever is inside waits for its end. LET_STARTED_FINISH also stops at scopes that members
   * have opened: those are their way to finish.
   *
   * Threads. The loop's, also a tick: a timer cancels.
   *
   * I1. A cancellation reaches everything below but what is protected from it. [ScopeTreeTest]
   * I2. The root is never anything but OPEN: whoever cleans up at the end of the loop may spawn there. [ScopeTreeTest]
   *
   * Sources. DESIGN 3.6; behaviour 93, 106-112, 132, 289, 290, 302; traps 17, 20, 22.
   */
  enum State {
    OPEN,
    LETTING,
    CANCELLED,
    CLOSED
  }

  // loop only
  private State state = State.OPEN;
  private @Nullable Cancellation cancelledWith; // stays so when it is closed
  private @Nullable TimerEvent limit;

  CancellableBranch(LoopRoot loop, @Nullable ScopeNode parent, @Nullable CoroutineNode<?> owner) {
    super(loop, parent, owner);
  }

  /// The region of the block's body, if it is a block.
  abstract @Nullable CancelRegion region();

  /// Closes it, if nothing of it is left and it needs no owner for that.
  abstract void closeIfOver();

  final State state() {
    return state;
  }

  /// Whether it was cancelled, as a whole, or by a failure.
  public final boolean isCancelled() {
    return cancelledWith != null;
  }

  /// Why it was cancelled; null: it was not.
  final @Nullable String reason() {
    return cancelledWith == null ? null : cancelledWith.getMessage();
  }

  final void becomeClosed() {
    state = State.CLOSED;
    stopLimit();
  }

  // ---- by users ----

  /// Cancels everybody, with a reason.
  public final void cancel(String why) {
    cancel(why, CancelMode.EVERYONE);
  }

  /// Cancels those that `mode` says, with a reason.
  public final void cancel(String why, CancelMode mode) {
    Objects.requireNonNull(mode, "mode");
    Cancellation c = new Cancellation(Objects.requireNonNull(why, "why"));
    loop.scheduler().checkOnLoop();
    StackReserve.require();
    refuseAtRoot("cannot be cancelled");
    if (mode == CancelMode.LET_STARTED_FINISH) {
      letStartedFinish(c);
    } else {
      cancelAll(c);
    }
  }

  /// Cancels everybody after a while; a later call replaces an earlier one.
  public final void cancelAfter(Duration delay) {
    loop.scheduler().checkOnLoop();
    refuseAtRoot("cannot be cancelled");
    Deadline end = Deadline.after(delay);
    stopLimit();
    if (state != State.CLOSED) {
      limit = loop.timer(end.nanoTime());
      limit.subscribe(new LimitOver(delay));
      limit.start();
    }
  }

  private void stopLimit() {
    if (limit != null) {
      limit.stop();
      limit = null;
    }
  }

  private final class LimitOver implements InlineCallback {
    private final Duration delay;

    LimitOver(Duration delay) {
      this.delay = delay;
    }

    @Override
    public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
      if (event == limit) {
        cancelAll(new Cancellation("the scope's time is over: cancelAfter(" + delay + ")"));
      }
    }
  }

  final void refuseAtRoot(String what) {
    refuseAtRoot(what, "Heddle.shutdown stops it");
  }

  final void refuseAtRoot(String what, String instead) {
    if (parent == null) {
      throw new IllegalStateException(
          "the root scope " + what + ": it ends with its loop; " + instead);
    }
  }

  // ---- from above to below ----

  /// Cancels the body of the block, too.
  private void cancelAll(Cancellation c) {
    CancelRegion body = region();
    if (body != null && state != State.CLOSED) {
      body.requestShared(c);
    }
    cancelMembers(c);
  }

  /// Cancels every member of this scope and of those below; none may join any more, except at the
  /// root.
  final void cancelMembers(Cancellation c) {
    List<ScopeNode> visited = new ArrayList<>();
    ScopeNode top = self();
    ScopeNode s = top;
    while (s != null) {
      boolean reached =
          (s == top || !s.isShielded())
              && s.state() != State.CANCELLED
              && s.state() != State.CLOSED;
      if (reached) {
        ((CancellableBranch) s).cancelOwn(c, s != top);
        visited.add(s);
      }
      s = s.nextIn(top, reached);
    }
    closeWhatIsOver(visited);
  }

  private void cancelOwn(Cancellation c, boolean fromAbove) {
    if (parent != null) {
      state = State.CANCELLED;
      cancelledWith = cancelledWith == null ? c : cancelledWith;
    }
    for (CoroutineNode<?> m = firstMember(); m != null; m = m.next) {
      m.cancelFromTree(c);
    }
    CancelRegion body = region();
    // the body of a block in another's body; one in a member's is that member's
    if (fromAbove && body != null && isPartOfParent()) {
      body.requestShared(c);
    }
  }

  private void letStartedFinish(Cancellation c) {
    List<ScopeNode> visited = new ArrayList<>();
    ScopeNode top = self();
    ScopeNode s = top;
    while (s != null) {
      boolean reached = s == top || (s.isPartOfParent() && !s.isShielded());
      if (reached && s.state() == State.OPEN) {
        ((CancellableBranch) s).letOwnFinish(c);
        visited.add(s);
      }
      s = s.nextIn(top, reached);
    }
    if (!visited.isEmpty()) {
      becomeSpare();
      closeWhatIsOver(visited);
    }
  }

  private void letOwnFinish(Cancellation c) {
    state = State.LETTING;
    cancelledWith = c;
    for (CoroutineNode<?> m = firstMember(); m != null; m = m.next) {
      if (!m.isStarted()) {
        m.cancelFromTree(c);
      }
    }
  }

  /// Cancels what was left to finish: the loop can do without, or cannot go on with it.
  ///
  /// @return whether there was some
  final boolean cancelWhatMayFinish(Cancellation c) {
    List<ScopeNode> letting = new ArrayList<>();
    ScopeNode top = self();
    for (ScopeNode s = top; s != null; s = s.nextIn(top, true)) {
      if (s.state() == State.LETTING) {
        letting.add(s);
      }
    }
    letting.forEach(s -> s.cancelMembers(c));
    return !letting.isEmpty();
  }

  /// Cancels the background members, now that the others are done; the scopes stay as they are.
  final void cancelBackground() {
    Cancellation c = new Cancellation("everything else is done");
    ScopeNode top = self();
    ScopeNode s = top;
    while (s != null) {
      boolean reached = s == top || s.isPartOfParent();
      for (CoroutineNode<?> m = reached ? s.firstMember() : null; m != null; m = m.next) {
        if (m.isBackground()) {
          m.cancelFromTree(c);
        }
      }
      s = s.nextIn(top, reached);
    }
  }

  // from below to above, as their ends go
  private static void closeWhatIsOver(List<ScopeNode> visited) {
    visited.reversed().forEach(ScopeNode::closeIfOver);
  }
}
