// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.remote.RetryingExecutor;
import java.lang.System.Logger.Level;

/// A task that must be done to the end, and that continues where it has failed. When it throws,
/// that is logged once, and it is run again after a pause, until it returns.
///
/// It keeps what it needs from its beginning: it fails most often when there is no memory.
///
/// **Thread** any; one call of [#run].
final class RetriedTask {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  private final RetryingExecutor executor;
  private final Runnable task;
  private final String what;
  private final Object of;

  /// @param executor runs it again
  /// @param task run by one thread after another
  /// @param what it does, for the log
  /// @param of whom it does that to, for the log
  RetriedTask(RetryingExecutor executor, Runnable task, String what, Object of) {
    this.executor = executor;
    this.task = task;
    this.what = what;
    this.of = of;
  }

  /// Runs the task. Throws nothing.
  void run() {
    try {
      task.run();
    } catch (Throwable t) {
      log("failed, and is tried again", t);
      later();
    }
  }

  private void later() {
    try {
      executor.executeLater(this::again);
    } catch (Throwable t) { // the runtime has shut down, or there is no memory even for that
      log("failed, and is not tried again", t);
    }
  }

  /// Logs nothing when it fails again: that was said, and may go on for long.
  private void again() {
    try {
      task.run();
    } catch (Throwable _) {
      later(); // safe: what is thrown was logged the first time
    }
  }

  private void log(String how, Throwable why) {
    try {
      LOG.log(Level.ERROR, what + " " + of + " " + how, why);
    } catch (Throwable _) {
      return; // safe: only the line is lost
    }
  }
}
