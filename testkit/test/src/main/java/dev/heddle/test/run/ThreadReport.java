// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/// Describes a thread of the program that waits in the JDK: its name, its wait, its stack.
final class ThreadReport {
  private ThreadReport() {}

  /// @param shown the thread that the program knows
  /// @param body the virtual thread that runs it
  static String of(Thread shown, Thread body) {
    List<StackTraceElement> stack =
        Arrays.stream(body.getStackTrace()).filter(frame -> !isOfTheAgent(frame)).toList();
    StringBuilder text = new StringBuilder(named(shown)).append(" waits");
    String method = method(stack);
    if (body.getState() == Thread.State.BLOCKED) {
      text.append(" for a monitor");
    } else if (!method.isEmpty()) {
      text.append(" in ").append(method);
    }
    Object blocker = LockSupport.getBlocker(body);
    if (blocker != null) {
      text.append(" for a ").append(blocker.getClass().getName());
    }
    text.append(" (").append(body.getState().name().toLowerCase(Locale.ROOT)).append(')');
    stack.forEach(frame -> text.append("\n  at ").append(frame));
    return text.toString();
  }

  private static String named(Thread thread) {
    String kind = thread.isVirtual() ? "virtual thread" : "thread";
    return thread.getName().isEmpty()
        ? kind + " " + (int) thread.threadId() // the bits above are the simulation's
        : kind + " '" + thread.getName() + "'";
  }

  // what the program has called
  private static String method(List<StackTraceElement> stack) {
    String last = "";
    for (StackTraceElement frame : stack) {
      if (!frame.getClassName().startsWith("java.")) {
        return last;
      }
      last = frame.getClassName() + "." + frame.getMethodName();
    }
    return last;
  }

  private static boolean isOfTheAgent(StackTraceElement frame) {
    return frame.getClassName().startsWith("java.lang.Heddle");
  }
}
