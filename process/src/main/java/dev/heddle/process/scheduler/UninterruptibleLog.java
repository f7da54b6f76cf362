// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// The log of processes, for threads that must survive any failure of logging.
///
/// A user's throwable may throw from `getMessage()`, and so may a user's log handler. Neither
/// failure reaches the worker that logs.
public final class UninterruptibleLog {
  private static final System.Logger LOG = System.getLogger("dev.heddle.process");

  private UninterruptibleLog() {}

  /// Writes an entry; never throws. If the entry cannot be written with `thrown`, it is written
  /// with the class names of both failures instead, and if that fails too, to standard error.
  public static void write(Level level, String text, @Nullable Throwable thrown) {
    try {
      LOG.log(level, text, thrown);
    } catch (Throwable unlogged) {
      try {
        writeNames(level, text, thrown, unlogged);
      } catch (Throwable _) {
        return; // safe: there is no memory for the text, and no code depends on it
      }
    }
  }

  private static void writeNames(
      Level level, String text, @Nullable Throwable thrown, Throwable unlogged) {
    String names =
        "%s [%s cannot be logged: %s]"
            .formatted(text, thrown == null ? "this" : name(thrown), name(unlogged));
    try {
      LOG.log(level, names);
    } catch (Throwable _) {
      System.err.println(names); // safe: a print stream does not throw
    }
  }

  private static String name(Throwable thrown) {
    return thrown.getClass().getName();
  }
}
