// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.CoroutineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/// A stack trace of the user's own code: the runtime's frames are left out, causes and suppressed
/// ones kept. It is followed by the coroutine and its ancestors.
///
/// `-Dheddle.trace=full` keeps every frame.
final class ReadableTrace {
  private static final List<String> HIDDEN =
      List.of(
          "dev.heddle.",
          "jdk.internal.",
          "java.lang.VirtualThread",
          "java.lang.ThreadBuilders",
          "java.lang.reflect.",
          "java.lang.invoke.");

  private final StringBuilder text = new StringBuilder();
  private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private ReadableTrace() {}

  static String of(Throwable failure) {
    var trace = new ReadableTrace();
    trace.write(unwrapped(failure), "Failed: ", "", List.of());
    FailureReport report = Heddle.reportOf(failure);
    if (report != null) {
      trace.write(report);
    }
    return trace.text.toString().stripTrailing();
  }

  /// The coroutine of the failure, its ancestors, and the failures that it superseded.
  private void write(FailureReport report) {
    writeTrace(report);
    for (Throwable merged : report.merged()) {
      write(unwrapped(merged), "With it: ", "", List.of());
      FailureReport itsOwn = Heddle.reportOf(merged);
      if (itsOwn != null) {
        writeTrace(itsOwn);
      }
    }
  }

  // what main threw needs no explanation
  private void writeTrace(FailureReport report) {
    if (report.spawnSite() != null) {
      text.append(report.trace().indent(2));
    }
  }

  /// A [CoroutineException] only carries a checked exception over a boundary: users want that
  /// exception.
  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CoroutineException && cause != null ? cause : failure;
  }

  private void write(
      Throwable failure, String title, String indent, List<StackTraceElement> enclosing) {
    if (!seen.add(failure)) {
      text.append(indent + title + "[circular reference: " + failure + "]\n");
      return;
    }
    text.append(indent).append(title).append(failure).append('\n');
    List<StackTraceElement> frames =
        Arrays.stream(failure.getStackTrace()).filter(ReadableTrace::isVisible).toList();
    int common = commonTail(frames, enclosing);
    for (StackTraceElement frame : frames.subList(0, frames.size() - common)) {
      text.append(indent).append("\tat ").append(frame(frame)).append('\n');
    }
    if (common > 0) {
      text.append(indent).append("\t... ").append(common).append(" more\n");
    }
    for (Throwable suppressed : failure.getSuppressed()) {
      write(suppressed, "Suppressed: ", indent + "\t", frames);
    }
    Throwable cause = failure.getCause();
    if (cause != null) {
      write(cause, "Caused by: ", indent, frames);
    }
  }

  private static boolean isVisible(StackTraceElement frame) {
    return "full".equals(System.getProperty("heddle.trace"))
        || HIDDEN.stream().noneMatch(frame.getClassName()::startsWith);
  }

  private static int commonTail(List<StackTraceElement> frames, List<StackTraceElement> enclosing) {
    int common = 0;
    while (common < Math.min(frames.size(), enclosing.size())
        && frames
            .get(frames.size() - 1 - common)
            .equals(enclosing.get(enclosing.size() - 1 - common))) {
      common++;
    }
    return common;
  }

  /// As the JDK writes it, without the names of the loader and of its modules.
  private static String frame(StackTraceElement frame) {
    return new StackTraceElement(
            null,
            null,
            null,
            frame.getClassName(),
            frame.getMethodName(),
            frame.getFileName(),
            frame.getLineNumber())
        .toString();
  }
}
