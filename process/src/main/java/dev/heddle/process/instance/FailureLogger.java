// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessExitException;
import dev.heddle.process.scheduler.UninterruptibleLog;
import java.lang.System.Logger.Level;

/// Logs the failures of the code of processes and of listeners. Never throws, even without memory
/// for the message: exits report these failures too.
public final class FailureLogger {
  private FailureLogger() {}

  public static void log(String before, Object of, String after, Throwable t) {
    try {
      UninterruptibleLog.write(Level.WARNING, before + of + after, t);
    } catch (Throwable _) {
      return; // safe: only the log entry is lost
    }
  }

  public static void ofProcess(Pid process, Throwable t) {
    if (t instanceof ProcessExitException said && (said.isShutdown() || said.isLinked())) {
      return; // an exit on purpose, or the failure of another process
    }
    log("process ", process, " has failed", t);
  }

  /// Logs a failure in work for a process when no reply can report it.
  public static void logUnreported(Pid process, String what, Throwable t) {
    try {
      log(what + " has failed, which was not reported to ", process, "", t);
    } catch (OutOfMemoryError _) {
      return; // safe: only the log entry is lost
    }
  }
}
