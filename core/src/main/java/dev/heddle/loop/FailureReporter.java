// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.failure.FailureTable;
import dev.heddle.observe.log.AsyncLog;
import org.jspecify.annotations.Nullable;

/// Reports to the operator what no code of the program will get.
///
/// **Thread** any; never waits.
final class FailureReporter {
  private final AsyncLog log;

  // set by the loop; safe: a line that is written before it is seen goes to the log, which finds
  // out by itself when it writes the line
  private boolean jvmExits;

  FailureReporter(AsyncLog log) {
    this.log = log;
  }

  /// The JVM exits: from now on failures come too late for the loggers, whose hooks run beside
  /// ours.
  void jvmExits() {
    jvmExits = true;
  }

  boolean isJvmExiting() {
    return jvmExits;
  }

  /// Reports a failure, and those that gave way to it: no code will ask for its report.
  void report(String what, @Nullable Throwable failure) {
    reportAlone(what, failure);
    if (failure != null) {
      FailureTable.allMergedInto(failure)
          .forEach(
              other -> reportAlone("a failure was superseded by the one reported above: " + what, other));
    }
  }

  private void reportAlone(String what, @Nullable Throwable failure) {
    if (jvmExits) {
      log.stderrOnly(what, failure);
    } else {
      log.error(what, failure);
    }
  }

  /// Reports what is probably a mistake.
  void warn(String what) {
    log.warning(what, null);
  }
}
