// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.util.Arrays;
import java.util.List;

/// Describes a thread of the program: its name, its wait in the JDK, its stack.
final class ThreadReport {
  private ThreadReport() {}

  /// @param shown the thread that the program knows
  /// @param body the virtual thread that runs it
  static String of(Thread shown, Thread body) {
    List<StackTraceElement> stack =
        Arrays.stream(body.getStackTrace())
            .dropWhile(ThreadReport::isPlumbing)
            .filter(frame -> !isOfTheAgent(frame))
            .toList();
    StringBuilder text = new StringBuilder(named(shown));
    if (body.getState() == Thread.State.RUNNABLE) {
      text.append(" is ready");
    } else if (body.getState() == Thread.State.BLOCKED) {
      text.append(" waits for a monitor");
    } else if (stack.isEmpty()) {
      text.append(" waits");
    } else {
      String type = stack.getFirst().getClassName();
      text.append(" waits in ")
          .append(type.substring(type.lastIndexOf('.') + 1))
          .append('.')
          .append(stack.getFirst().getMethodName());
    }
    stack.forEach(frame -> text.append("\n  at ").append(withoutModule(frame)));
    return text.toString();
  }

  /// Its name, or its number where it has none.
  static String named(Thread thread) {
    String kind = thread.isVirtual() ? "virtual thread" : "thread";
    return thread.getName().isEmpty()
        ? kind + " " + (int) thread.threadId() // the bits above are the simulation's
        : kind + " '" + thread.getName() + "'";
  }

  private static String withoutModule(StackTraceElement frame) {
    return "%s.%s(%s)"
        .formatted(
            frame.getClassName(),
            frame.getMethodName(),
            frame.getLineNumber() < 0
                ? frame.getFileName()
                : frame.getFileName() + ":" + frame.getLineNumber());
  }

  // by which the JDK parks a thread
  private static boolean isPlumbing(StackTraceElement frame) {
    String type = frame.getClassName();
    return type.startsWith("java.lang.VirtualThread")
        || type.startsWith("java.lang.System$")
        || type.startsWith("java.util.concurrent.locks.Lock")
        || type.startsWith("java.util.concurrent.locks.Abstract")
        || type.startsWith("java.util.concurrent.ForkJoinPool")
        || type.startsWith("java.util.concurrent.CompletableFuture$")
        || type.startsWith("jdk.internal.");
  }

  private static boolean isOfTheAgent(StackTraceElement frame) {
    return frame.getClassName().startsWith("java.lang.Heddle");
  }
}
