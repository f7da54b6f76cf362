// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.coroutine.CancelMode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.StackGuard;
import dev.heddle.reactor.TimerEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The cancellation of a scope and of all scopes below it.
final class ScopeCancellation implements InlineCallback {
  /*
   * States.
   *   from        event                          to         what happens
   *   OPEN        cancel(), a failure, close()   CANCELLED  no more members; all members are
   *                                                         cancelled, the block's body too, and
   *                                                         all below
   *   OPEN        cancel(DRAIN)                  DRAINING   no more members; those that have not
   *                                                         started are cancelled, the others
   *                                                         become daemons
   *   DRAINING    cancel(), a failure, the       CANCELLED  as above
   *               foreground has ended, no
   *               member keeps the loop alive
   *   not CLOSED  no member is left, and the     CLOSED     completion handlers run, scopes below
   *               owner leaves the scope                    close
   *   CANCELLED   no member is left, and the     CLOSED     the same
   *               scope has no owner
   *   OPEN        no member is left after        CLOSED     the same
   *               endWhenEmpty()
   *
   * Downwards. One iterative pass cancels the members of all scopes below; recursion would not do,
   * since a tree may be deeper than a stack. The pass stops at scopes that are cancelled already
   * (their coroutines are cleaning up, within their grace period), and at scopes behind a shield:
   * those wait for its end. DRAIN also stops at scopes that members have opened, since the members
   * need them to finish.
   *
   * Threads. The loop's, also a tick: a timer cancels.
   *
   * I1. A cancellation reaches everything below that is not shielded from it. [ScopeTreeTest]
   * I2. The root is always OPEN: clean-up code at the end of the loop may spawn there.
   *     [ScopeTreeTest]
   *
   * Sources. loop-93, loop-106 to loop-112, loop-132, loop-289, loop-290, loop-302; trap-17,
   * trap-20, trap-22.
   */
  enum State {
    OPEN,
    DRAINING,
    CANCELLED,
    CLOSED
  }

  private final ScopeNode scope;

  // loop only
  private State state = State.OPEN;
  private @Nullable Cancellation cancelledWith; // kept after it is closed
  private @Nullable TimerEvent cancelTimer;
  private @Nullable Duration cancelDelay;

  ScopeCancellation(ScopeNode scope) {
    this.scope = scope;
  }

  State state() {
    return state;
  }

  boolean isCancelled() {
    return cancelledWith != null;
  }

  @Nullable String reason() {
    return cancelledWith == null ? null : cancelledWith.getMessage();
  }

  void becomeClosed() {
    state = State.CLOSED;
    stopCancelTimer();
  }

  // ---- users' calls ----

  void cancel(String why, CancelMode mode) {
    Objects.requireNonNull(mode, "mode");
    Cancellation c = new Cancellation(Objects.requireNonNull(why, "why"));
    scope.tree.scheduler().checkOnLoop();
    StackGuard.requireRoom();
    scope.refuseAtRoot("cannot be cancelled");
    if (mode == CancelMode.DRAIN) {
      drain(c);
    } else {
      cancelAll(c);
    }
  }

  void cancelAfter(Duration delay) {
    scope.tree.scheduler().checkOnLoop();
    scope.refuseAtRoot("cannot be cancelled");
    Deadline end = Deadline.after(delay);
    stopCancelTimer();
    if (state != State.CLOSED) {
      cancelTimer = scope.tree.timer(end.nanoTime());
      cancelDelay = delay;
      cancelTimer.subscribe(this);
      cancelTimer.start();
    }
  }

  private void stopCancelTimer() {
    if (cancelTimer != null) {
      cancelTimer.stop();
      cancelTimer = null;
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object result, @Nullable Throwable error) {
    if (event == cancelTimer) {
      cancelAll(new Cancellation("the scope's time is over: cancelAfter(" + cancelDelay + ")"));
    }
  }

  // ---- downwards ----

  private void cancelAll(Cancellation c) {
    CancelRegion body = scope.region();
    if (body != null && state != State.CLOSED) {
      body.requestShared(c);
    }
    cancelMembers(c);
  }

  void cancelMembers(Cancellation c) {
    List<ScopeNode> visited = new ArrayList<>();
    ScopeNode s = scope;
    while (s != null) {
      boolean reached =
          (s == scope || !s.links.isShielded())
              && s.state() != State.CANCELLED
              && s.state() != State.CLOSED;
      if (reached) {
        s.cancellation.cancelOwn(c, s != scope);
        visited.add(s);
      }
      s = s.nextIn(scope, reached);
    }
    closeCompleted(visited);
  }

  private void cancelOwn(Cancellation c, boolean fromAbove) {
    if (scope.parent() != null) {
      state = State.CANCELLED;
      cancelledWith = cancelledWith == null ? c : cancelledWith;
    }
    for (CoroutineNode<?> m = scope.links.firstMember(); m != null; m = m.next) {
      m.cancelShared(c);
    }
    CancelRegion body = scope.region();
    // the body of a block that is nested in another block's body; a member's block belongs to that
    // member
    if (fromAbove && body != null && scope.links.isPartOfParent()) {
      body.requestShared(c);
    }
  }

  private void drain(Cancellation c) {
    List<ScopeNode> visited = new ArrayList<>();
    ScopeNode s = scope;
    while (s != null) {
      boolean reached = s == scope || (s.links.isPartOfParent() && !s.links.isShielded());
      if (reached && s.state() == State.OPEN) {
        s.cancellation.drainOwn(c);
        visited.add(s);
      }
      s = s.nextIn(scope, reached);
    }
    if (!visited.isEmpty()) {
      scope.links.becomeDaemon();
      closeCompleted(visited);
    }
  }

  private void drainOwn(Cancellation c) {
    state = State.DRAINING;
    cancelledWith = c;
    for (CoroutineNode<?> m = scope.links.firstMember(); m != null; m = m.next) {
      if (!m.isStarted()) {
        m.cancelShared(c);
      }
    }
  }

  boolean cancelDraining(Cancellation c) {
    List<ScopeNode> letting = new ArrayList<>();
    for (ScopeNode s = scope; s != null; s = s.nextIn(scope, true)) {
      if (s.state() == State.DRAINING) {
        letting.add(s);
      }
    }
    letting.forEach(s -> s.cancelMembers(c));
    return !letting.isEmpty();
  }

  /// Cancels the background members when the others have ended; the scopes stay as they are.
  void cancelBackground() {
    Cancellation c = new Cancellation("everything else is done");
    ScopeNode s = scope;
    while (s != null) {
      boolean reached = s == scope || s.links.isPartOfParent();
      for (CoroutineNode<?> m = reached ? s.links.firstMember() : null; m != null; m = m.next) {
        if (m.isBackground()) {
          m.cancelShared(c);
        }
      }
      s = s.nextIn(scope, reached);
    }
  }

  // upwards, the order in which they will end
  private static void closeCompleted(List<ScopeNode> visited) {
    visited.reversed().forEach(ScopeNode::closeIfOver);
  }
}
