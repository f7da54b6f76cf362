// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.tree.ScopeNode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The scope in which the tasks of a [TaskGroup] run. It exists only while the group needs it.
final class TaskScope {
  /*
   * States.  from    event                                 to      who
   *          ABSENT  open(), hold()                        OPEN    the first task's spawner, or the
   *                                                                coroutine that holds it
   *          OPEN    drop(): no task is active, and no     ABSENT  the last task, or the coroutine
   *                  hold is left or the group is closed           that held it
   *          OPEN    the parent ends, or a cancellation    OPEN    the parent; the group closes at
   *                  or failure reaches the scope                  the next drop(), or by
   *                                                                `whenEnded` if it is held
   *
   * The parent has strong references to its children, and a child scope never ends by itself. So a
   * group whose scope existed as long as the group would stay in a server's scope for ever, with
   * each outcome that it keeps, unless its user closed it. A scope that was dropped ends when its
   * last member has ended; coroutines that a task has started may outlive the task.
   *
   * A hold is for what must be notified when the parent ends while no task is active: completion
   * handlers, and a wait for the next task.
   *
   * Threads. The loop's.
   *
   * I1. A group without active tasks and holds is not reachable from its parent scope.
   *     [TaskGroupTest]
   */
  private final ScopeNode parent;
  private final Runnable whenEnded;

  // loop only
  private @Nullable ScopeNode scope; // null: absent
  private @Nullable ScopeNode watched; // its end calls `whenEnded`
  private int holds;

  /// @param whenEnded called in a coroutine of its own when the scope has ended while it was held
  TaskScope(ScopeNode parent, Runnable whenEnded) {
    this.parent = parent;
    this.whenEnded = whenEnded;
  }

  /// Whether no scope can be opened any more: the parent has ended, or was cancelled.
  boolean isOver() {
    return scope == null && !parent.isOpen();
  }

  /// The scope; opens it if it is absent.
  ///
  /// @throws IllegalStateException when the parent is closed or cancelled
  ScopeNode open() {
    ScopeNode current = scope;
    if (current == null) {
      current = parent.child();
      scope = current;
    }
    return current;
  }

  /// Opens the scope, which stays from now on, until the hold is released or the group is closed.
  ScopeNode hold() {
    ScopeNode held = open();
    if (watched != held) {
      held.onCompletion(this::ended);
      watched = held;
    }
    holds++;
    return held;
  }

  /// Releases a hold; [#drop] follows.
  void release() {
    holds--;
  }

  private void ended(Scope which) {
    if (which == scope) { // else it was dropped before
      whenEnded.run();
    }
  }

  /// Drops the scope, because no task is active, unless it is held.
  ///
  /// @param closed whether the group takes no more tasks, so that holds do not count
  /// @return whether the scope was cancelled or ended by others: the group takes no more tasks
  boolean drop(boolean closed) {
    ScopeNode last = scope;
    if (last == null || (holds > 0 && !closed)) {
      return false;
    }
    scope = null;
    boolean wasEnded = last.isCancelled() || last.isClosed();
    last.endWhenEmpty();
    return wasEnded;
  }

  /// Cancels the tasks.
  void cancel(String why) {
    Objects.requireNonNull(why, "why");
    if (scope != null) {
      scope.cancel(why);
    }
  }
}
