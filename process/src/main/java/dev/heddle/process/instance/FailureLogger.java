// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;

/// Failures of the code of processes, and of listeners, as the log has them. Never throws, also
/// when there is no memory for the words: exits tell of them too.
public final class FailureLogger {
  private FailureLogger() {}

  /// Writes a warning: `before`, `of`, `after`.
  public static void log(String before, Object of, String after, Throwable t) {
    try {
      UninterruptibleLog.write(Level.WARNING, before + of + after, t);
    } catch (Throwable _) {
      return; // safe: only the log lacks it
    }
  }

  /// A process has failed.
  public static void ofProcess(Pid process, Throwable t) {
    if (t instanceof ProcessExitException said && (said.isShutdown() || said.isLinked())) {
      return; // nothing has gone wrong, or it is another's failure
    }
    log("process ", process, " has failed", t);
  }

  /// What was done for a process has failed, and no answer tells the process.
  public static void logUnreported(Pid process, String what, Throwable t) {
    try {
      log(what + " has failed, of which ", process, " is not notified", t);
    } catch (OutOfMemoryError _) {
      return; // safe: only the log lacks it
    }
  }

  /// Closes what a process has run.
  public static void close(Process process, Object of) {
    try {
      process.close();
    } catch (Throwable t) {
      log("close() of ", of, " failed", t);
    }
  }
}
