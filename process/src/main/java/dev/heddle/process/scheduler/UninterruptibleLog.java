// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/// The log of processes, for threads that must outlive what is logged.
///
/// A throwable of users may throw when it is asked for its message, and so may a handler that they
/// have given to the logging system. Neither is to reach the worker that reports it.
public final class UninterruptibleLog {
  private static final System.Logger LOG = System.getLogger("dev.heddle.process");

  private UninterruptibleLog() {}

  /// Writes an entry; never throws. One that cannot be written with `thrown` is written with the
  /// names of both failures' classes, and when that fails too, to the standard error.
  public static void write(Level level, String text, @Nullable Throwable thrown) {
    try {
      LOG.log(level, text, thrown);
    } catch (Throwable unlogged) {
      try {
        writeNames(level, text, thrown, unlogged);
      } catch (Throwable _) {
        return; // safe: there is no memory for these words, and nobody else waits for them
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
      System.err.println(names); // safe: a print stream keeps its failures to itself
    }
  }

  private static String name(Throwable thrown) {
    return thrown.getClass().getName();
  }
}
