// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.failure.FailureTable;
import dev.heddle.observe.log.AsyncLog;
import org.jspecify.annotations.Nullable;

/// Logs the failures that no code of the program observes.
///
/// **Thread** any; never waits.
final class FailureReporter {
  private final AsyncLog log;

  // set by the loop; safe: a line written before this is visible goes to the log, which checks for
  // the JVM's exit itself when it writes
  private boolean jvmExits;

  // set before the first coroutine runs
  private @Nullable FailureListener listener; // null: the log
  private @Nullable FailureListener observers; // gets what is logged, too

  FailureReporter(AsyncLog log) {
    this.log = log;
  }

  /// Has `changed` called with each report, which is then not logged. Called before the first
  /// coroutine runs.
  void redirect(FailureListener changed) {
    listener = changed;
  }

  /// Has `also` called with each report that is logged, before the JVM exits. Called before the
  /// first coroutine runs.
  void tellObservers(FailureListener also) {
    observers = also;
  }

  /// Called when the JVM exits: from now on failures come too late for the loggers, whose shutdown
  /// hooks run concurrently.
  void jvmExits() {
    jvmExits = true;
  }

  boolean isJvmExiting() {
    return jvmExits;
  }

  /// Reports a failure, those that it superseded, and those that its causes and the suppressed ones
  /// superseded: no code will read their reports.
  void report(String what, @Nullable Throwable failure) {
    FailureListener other = listener;
    if (other != null) {
      other.onReport(what, failure);
      return;
    }
    if (failure == null) {
      reportAlone(what, null);
    } else {
      log(what, failure);
    }
    FailureListener also = observers;
    if (also != null && !jvmExits) {
      also.onReport(what, failure);
    }
  }

  private void log(String what, Throwable failure) {
    // on the thread of the log: reading a throwable takes its monitor, and may wait for it
    Runnable behind =
        () ->
            FailureTable.mergedIntoAttached(failure)
                .forEach(other -> reportSuperseded(what, other));
    if (jvmExits) {
      log.stderrOnly(what, failure, behind);
    } else {
      log.error(what, failure, behind);
    }
    FailureTable.allMergedInto(failure).forEach(other -> reportSuperseded(what, other));
  }

  private void reportSuperseded(String what, Throwable other) {
    reportAlone("a failure was superseded by the one reported above: " + what, other);
  }

  private void reportAlone(String what, @Nullable Throwable failure) {
    if (jvmExits) {
      log.stderrOnly(what, failure);
    } else {
      log.error(what, failure);
    }
  }

  void warn(String what) {
    log.warning(what, null);
  }
}
