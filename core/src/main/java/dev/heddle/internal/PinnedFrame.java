// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import dev.heddle.PinnedException;
import java.lang.StackWalker.StackFrame;
import java.util.List;

/// Finds the frame of the current stack that pins it to its thread.
public final class PinnedFrame {
  private PinnedFrame() {}

  /// The exception for an attempt to suspend on the current stack.
  public static PinnedException refusalOf(String coroutine) {
    List<StackFrame> frames = StackWalker.getInstance().walk(s -> s.toList());
    String pin =
        frames.stream()
            .filter(f -> f.getMethodName().equals("<clinit>") || f.isNativeMethod())
            .findFirst()
            .map(PinnedFrame::describe)
            .orElse("a frame that the JDK does not name");
    return new PinnedException(
        ("%s cannot suspend below %s; move the wait out of it, or start a coroutine there and await"
                + " it elsewhere")
            .formatted(coroutine, pin));
  }

  private static String describe(StackFrame frame) {
    return frame.isNativeMethod()
        ? "the native method " + frame.toStackTraceElement()
        : "the initialiser of class " + frame.getClassName();
  }
}
