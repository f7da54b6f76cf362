// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.lang.StackWalker.StackFrame;
import java.util.List;

/// A coroutine was asked to suspend where the JDK cannot take it off its thread: inside a class
/// initialiser, or below a native frame. Nothing was suspended.
///
/// @since 0.1
public final class PinnedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With the frame that pins.
  public PinnedException(String message) {
    super(message);
  }

  /// For the current stack.
  ///
  /// @param who the coroutine
  public static PinnedException here(String who) {
    List<StackFrame> frames = StackWalker.getInstance().walk(s -> s.toList());
    String pin =
        frames.stream()
            .filter(f -> f.getMethodName().equals("<clinit>") || f.isNativeMethod())
            .findFirst()
            .map(PinnedException::describe)
            .orElse("a frame that the JDK does not name");
    return new PinnedException(
        who
            + " cannot suspend below "
            + pin
            + "; move the wait out of it, or start a coroutine there and await it elsewhere");
  }

  private static String describe(StackFrame frame) {
    return frame.isNativeMethod()
        ? "the native method " + frame.toStackTraceElement()
        : "the initialiser of class " + frame.getClassName();
  }
}
