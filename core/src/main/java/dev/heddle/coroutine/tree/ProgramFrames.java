// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Distinguishes the frames of a program, and of the libraries it calls, from those of the runtime.
public final class ProgramFrames {
  private static final List<String> RUNTIME =
      List.of(
          "dev.heddle.coroutine.capture.",
          "dev.heddle.coroutine.tree.",
          "dev.heddle.loop.",
          "dev.heddle.scheduler.",
          "dev.heddle.reactor.",
          "dev.heddle.eventloop.",
          "dev.heddle.thread.",
          "dev.heddle.sync.",
          "dev.heddle.flow.",
          "dev.heddle.io.",
          "dev.heddle.os.",
          "dev.heddle.failure.",
          "dev.heddle.event.source.",
          "dev.heddle.internal.",
          "dev.heddle.netty.",
          "dev.heddle.process.",
          "dev.heddle.cli.");

  // in rooms whose names programs may use for packages of their own: each class
  private static final Set<String> API_TYPES =
      Set.of(
          "dev.heddle.Heddle",
          "dev.heddle.HeddleOptions",
          "dev.heddle.Loop",
          "dev.heddle.LoopGroup",
          "dev.heddle.coroutine.Await",
          "dev.heddle.coroutine.Coroutine",
          "dev.heddle.coroutine.GatherEvent",
          "dev.heddle.coroutine.ForEach",
          "dev.heddle.coroutine.Outcomes",
          "dev.heddle.coroutine.OutputCapture",
          "dev.heddle.coroutine.Scope",
          "dev.heddle.coroutine.ScopedBindings",
          "dev.heddle.event.Deadline",
          "dev.heddle.event.DerivedStage",
          "dev.heddle.event.Event",
          "dev.heddle.event.EventStream",
          "dev.heddle.event.Future",
          "dev.heddle.event.Promise",
          "dev.heddle.event.FutureSource");

  // frames that the JDK adds below and above those of a virtual thread
  private static final List<String> MACHINERY =
      List.of(
          "jdk.internal.",
          "java.lang.VirtualThread",
          "java.lang.System$",
          "java.lang.ThreadBuilders");

  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");

  // frames by which a launcher calls a program's main
  private static final List<String> CALLERS = List.of("java.lang.reflect.", "java.lang.invoke.");

  private ProgramFrames() {}

  public static boolean isRuntime(String className) {
    int nested = className.indexOf('$');
    String outermost = nested < 0 ? className : className.substring(0, nested);
    return startsWithOneOf(className, RUNTIME) || API_TYPES.contains(outermost);
  }

  /// The method of Heddle that the program has called on this thread, for example `Heddle.spawn`.
  static String calledApiMethod() {
    StackWalker.StackFrame door =
        StackWalker.getInstance()
            .walk(frames ->
                frames
                    .takeWhile(frame -> isRuntime(frame.getClassName()))
                    .reduce((_, outer) -> outer)
                    .orElseThrow());
    String name = door.getClassName();
    return name.substring(name.lastIndexOf('.') + 1).replace('$', '.') + "." + door.getMethodName();
  }

  public static boolean isProgram(String className) {
    return !isJdk(className) && !isRuntime(className);
  }

  public static boolean isJdk(String className) {
    return startsWithOneOf(className, JDK);
  }

  private static boolean startsWithOneOf(String name, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  /// The frames that matter to a reader, the innermost first, without loaders and modules; all
  /// frames with `heddle.trace=full`.
  public static List<StackTraceElement> of(StackTraceElement[] stack) {
    List<StackTraceElement> frames = Arrays.stream(stack).map(ProgramFrames::shortened).toList();
    if ("full".equals(System.getProperty("heddle.trace"))) {
      return frames;
    }
    int end = frames.size();
    while (end > 0 && isBelowEveryProgram(frames.get(end - 1).getClassName())) {
      end--;
    }
    return frames.subList(firstBelowTheRuntime(frames, end), end).stream()
        .filter(frame -> !isHidden(frame.getClassName()))
        .toList();
  }

  private static boolean isBelowEveryProgram(String className) {
    return isHidden(className) || startsWithOneOf(className, CALLERS);
  }

  private static boolean isHidden(String className) {
    return isRuntime(className) || startsWithOneOf(className, MACHINERY);
  }

  // frames of the runtime for suspending, or for taking the dump
  private static int firstBelowTheRuntime(List<StackTraceElement> frames, int end) {
    int first = 0;
    for (int i = 0; i < end && !isProgram(frames.get(i).getClassName()); i++) {
      first = isRuntime(frames.get(i).getClassName()) ? i + 1 : first;
    }
    return first;
  }

  public static StackTraceElement shortened(StackTraceElement frame) {
    return new StackTraceElement(
        null,
        null,
        null,
        frame.getClassName(),
        frame.getMethodName(),
        frame.getFileName(),
        frame.getLineNumber());
  }

  /// The innermost frame of the program: its current position; null: none.
  public static @Nullable String site(List<StackTraceElement> stack) {
    return own(stack).findFirst().map(StackTraceElement::toString).orElse(null);
  }

  /// A site without its line, since the line differs from sample to sample of the same code.
  public static String method(String site) {
    int line = site.indexOf('(');
    return line < 0 ? site : site.substring(0, line);
  }

  public static @Nullable StackTraceElement root(List<StackTraceElement> stack) {
    return own(stack).reduce((above, below) -> below).orElse(null);
  }

  private static Stream<StackTraceElement> own(List<StackTraceElement> stack) {
    return stack.stream().filter(frame -> isProgram(frame.getClassName()));
  }

  /// The JDK method that the program has called and that has not returned; null if its own code is
  /// the innermost.
  public static @Nullable StackTraceElement calledInJdk(List<StackTraceElement> stack) {
    StackTraceElement called = null;
    for (StackTraceElement frame : stack) {
      if (!isJdk(frame.getClassName())) {
        break;
      }
      called = frame;
    }
    return called;
  }
}
