// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.PrintWriter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// The runtime's log while a program runs: reports unchanged, failures as [ReadableTrace] shows
/// them. If the JDK's logging is configured, that configuration applies instead.
final class OperatorLog extends Handler {
  private static final String CONFIGURED = "java.util.logging.config.file";

  // the JDK drops a logger and its handlers when no code references it
  private static final Logger RUNTIME = Logger.getLogger("dev.heddle");

  private final PrintWriter out;

  private OperatorLog(PrintWriter out) {
    this.out = out;
  }

  static void writeTo(PrintWriter out) {
    if (System.getProperty(CONFIGURED) == null) {
      RUNTIME.setUseParentHandlers(false);
      RUNTIME.addHandler(new OperatorLog(out));
    }
  }

  @Override
  public void publish(LogRecord record) {
    if (isLoggable(record)) {
      String level = record.getLevel().intValue() >= Level.SEVERE.intValue() ? "error" : "warning";
      Throwable failure = record.getThrown();
      String trace = failure == null ? "" : System.lineSeparator() + ReadableTrace.of(failure);
      out.println("heddle: " + level + ": " + record.getMessage() + trace);
      out.flush();
    }
  }

  @Override
  public void flush() {
    out.flush();
  }

  @Override
  public void close() {
    out.flush();
  }
}
