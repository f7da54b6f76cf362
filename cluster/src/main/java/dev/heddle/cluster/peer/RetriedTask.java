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
      Throwable refusal = later(); // before the log, whose handlers may wait
      log(refusal == null ? "failed, and is tried again" : "failed, and is given up", t);
    }
  }

  /// Arranges that the task is run again.
  ///
  /// @return null; or why it is not: the runtime has shut down, or there is no memory for it
  private @Nullable Throwable later() {
    try {
      executor.executeLater(again);
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  /// Logs nothing when the task fails again: that was said, and may go on for long.
  private void again() {
    try {
      task.run();
    } catch (Throwable _) { // safe: what is thrown was logged the first time
      Throwable refusal = later();
      if (refusal != null) {
        log("failed, and is given up", refusal);
      }
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
