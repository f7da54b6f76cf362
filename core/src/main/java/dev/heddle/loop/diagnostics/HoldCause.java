// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.coroutine.tree.ProgramFrames;
import dev.heddle.observe.HoldReport.Activity;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The activity of a coroutine that holds its loop, derived from its stack.
///
/// One-time work of the JVM (loading and initialising classes, linking calls) is recognised first:
/// a thread inside it does nothing else, whatever frames are above.
///
/// @param activity its activity
/// @param isOfTheRuntime whether Heddle's own code caused it
/// @param isOfTheProgram whether a class of the program, or of a library, is being initialised
record HoldCause(Activity activity, boolean isOfTheRuntime, boolean isOfTheProgram) {
  private static final List<String> LOADERS =
      List.of(
          "java.lang.ClassLoader", "jdk.internal.loader.", "java.lang.System", "java.lang.Runtime");

  private static final Set<String> LINKERS =
      Set.of(
          "java.lang.invoke.MethodHandleNatives",
          "java.lang.invoke.InvokerBytecodeGenerator",
          "java.lang.invoke.InnerClassLambdaMetafactory",
          "java.lang.invoke.LambdaMetafactory",
          "java.lang.invoke.StringConcatFactory",
          "java.lang.invoke.MethodHandles$Lookup");

  private static final String FOREIGN_LINKER = "jdk.internal.foreign.abi.";

  // native methods that return at once or compute: a thread in one of them computes
  private static final List<String> QUICK_NATIVES =
      List.of(
          "java.lang.",
          "java.util.",
          "jdk.internal.misc.",
          "jdk.internal.reflect.",
          "jdk.internal.vm.");
  private static final List<String> SLOW_NATIVES =
      List.of("java.lang.Process", "java.lang.foreign.", "java.util.prefs.");

  /// Analyses a stack.
  ///
  /// @param frames all frames, the innermost first
  /// @param waits whether the thread waits in the JDK
  static HoldCause of(StackTraceElement[] frames, boolean waits) {
    HoldCause once = doneOnce(frames);
    if (waits && (once == null || once.isOfTheProgram)) {
      return new HoldCause(isHeld(frames) ? Activity.MONITOR : Activity.PINNED, false, false);
    }
    return once != null ? once : new HoldCause(activity(frames), false, false);
  }

  // in Object.wait, without a frame below it that pins
  private static boolean isHeld(StackTraceElement[] frames) {
    return frames.length > 0
        && frames[0].getClassName().equals("java.lang.Object")
        && Arrays.stream(frames)
            .skip(1)
            .noneMatch(f -> f.isNativeMethod() || f.getMethodName().equals("<clinit>"));
  }

  /// Whether this is one-time work of the JVM, which the program can hardly avoid.
  boolean isStartUp() {
    return activity == Activity.LOADING
        || activity == Activity.LINKING
        || (activity == Activity.INITIALISING && !isOfTheProgram);
  }

  private static @Nullable HoldCause doneOnce(StackTraceElement[] frames) {
    boolean inJdk = true; // so far
    for (int i = 0; i < frames.length; i++) {
      String name = frames[i].getClassName();
      inJdk = inJdk && ProgramFrames.isJdk(name);
      if (frames[i].getMethodName().equals("<clinit>")) {
        boolean ofTheProgram = ProgramFrames.isProgram(name);
        return new HoldCause(Activity.INITIALISING, isAskedByRuntime(frames, i), ofTheProgram);
      }
      if (isLoading(name, frames[i].getMethodName())) {
        return new HoldCause(Activity.LOADING, isAskedByRuntime(frames, i), false);
      }
      if (inJdk && (LINKERS.contains(name) || name.startsWith(FOREIGN_LINKER))) {
        return new HoldCause(Activity.LINKING, isAskedByRuntime(frames, i), false);
      }
    }
    return null;
  }

  private static boolean isLoading(String name, String method) {
    return LOADERS.stream().anyMatch(name::startsWith)
        && (method.startsWith("load")
            || method.startsWith("findClass")
            || method.startsWith("defineClass"));
  }

  /// Whether the first non-JDK frame from there on is Heddle's.
  private static boolean isAskedByRuntime(StackTraceElement[] frames, int from) {
    for (int i = from; i < frames.length; i++) {
      String name = frames[i].getClassName();
      if (!ProgramFrames.isJdk(name)) {
        return ProgramFrames.isRuntime(name);
      }
    }
    return false;
  }

  private static Activity activity(StackTraceElement[] frames) {
    if (frames.length == 0 || !frames[0].isNativeMethod()) {
      return Activity.COMPUTING;
    }
    String name = frames[0].getClassName();
    if (name.startsWith("java.net.Inet")) {
      return Activity.HOST_LOOKUP;
    }
    if (isFile(name)) {
      return Activity.FILE;
    }
    if (isQuick(name)) {
      return Activity.COMPUTING;
    }
    return isAskedByRuntime(frames, 0) ? Activity.RUNTIME : Activity.NATIVE;
  }

  private static boolean isFile(String name) {
    return name.startsWith("java.io.")
        || name.startsWith("sun.nio.fs.")
        || name.contains("FileDispatcher");
  }

  private static boolean isQuick(String name) {
    return QUICK_NATIVES.stream().anyMatch(name::startsWith)
        && SLOW_NATIVES.stream().noneMatch(name::startsWith);
  }
}
