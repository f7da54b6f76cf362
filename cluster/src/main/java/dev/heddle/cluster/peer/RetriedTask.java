// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.remote.RetryingExecutor;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// A task that must be done to the end. When it throws, mostly for lack of memory, that is logged
/// once, and the task is run again after a pause, until it returns. It is given up only when not
/// even that can be arranged, and that is logged too.
///
/// **Thread** any; not by two at a time.
final class RetriedTask {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  private final RetryingExecutor executor;
  private final Runnable task;
  private final Runnable again = this::again; // made now: there may be no memory later
  private final String what;
  private final Object whose;

  // the thread that runs the task; why it has failed, until that is logged
  private @Nullable Throwable unlogged;

  /// @param executor runs the task again, on a thread of its own
  /// @param task continues where it has thrown when it is run again
  /// @param what the task does, for the log: "telling the end of"
  /// @param whose end that is, for the log: a PID, a node
  RetriedTask(RetryingExecutor executor, Runnable task, String what, Object whose) {
    this.executor = executor;
    this.task = task;
    this.what = what;
    this.whose = whose;
  }

  /// Runs the task. What it throws is not thrown on.
  void run() {
    try {
      task.run();
    } catch (Throwable t) {
      unlogged = t; // log handlers may wait, and the caller may have a lock
      later();
    }
  }

  private void later() {
    try {
      executor.executeLater(again);
    } catch (Throwable t) { // the runtime has shut down, or there is no memory even for that
      log("failed, and is given up", t);
    }
  }

  /// Logs the first failure only: others may follow for long.
  private void again() {
    Throwable first = unlogged;
    unlogged = null;
    try {
      task.run();
    } catch (Throwable _) { // safe: it is much like the first one
      later();
    }
    if (first != null) {
      log("failed, and is tried again", first);
    }
  }

  private void log(String how, Throwable why) {
    try {
      LOG.log(Level.ERROR, what + " " + whose + " " + how, why);
    } catch (Throwable _) {
      return; // safe: only the line is lost
    }
  }
}
