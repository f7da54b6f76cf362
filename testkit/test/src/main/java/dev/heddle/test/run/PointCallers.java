// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.world.OpenWorld;
import java.security.CodeSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Tells at which points nothing may be preempted: where the loop relies on running alone. These
/// are points in Heddle's own code, and in code of the JDK that Heddle has called. At a point of
/// its own code a thread that calls it from outside of the loop may be preempted.
///
/// Nothing is preempted, either, where the JDK and the hook keep their lists of pools and threads.
/// How many points are there depends on what earlier runs have left in them, and on the ids of
/// threads, which differ from run to run.
final class PointCallers {
  private static final String HEDDLE = "dev/heddle/";
  private static final List<String> ROOMS_OF_THE_CORE =
      List.of(
          "coroutine/",
          "event/",
          "failure/",
          "flow/",
          "internal/",
          "io/",
          "loop/",
          "observe/",
          "os/",
          "reactor/",
          "scheduler/",
          "sync/",
          "thread/");

  private static final String POINTS = "java.lang.HeddlePoints";
  private static final String OWN = "dev.heddle.";
  private static final List<String> LISTS_OF_THREADS =
      List.of("jdk.internal.vm.ThreadContainers", "java.lang.HeddleWorld");
  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private static final List<CodeSource> OWN_SOURCES =
      Stream.of(Heddle.class, PointCallers.class, OpenWorld.class)
          .map(type -> type.getProtectionDomain().getCodeSource())
          .filter(Objects::nonNull)
          .toList();

  // by the place that it was loaded from: the tests of Heddle are in packages of Heddle
  private static final ClassValue<Boolean> IS_OWN =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          CodeSource source = type.getProtectionDomain().getCodeSource();
          return source != null && OWN_SOURCES.contains(source);
        }
      };

  private PointCallers() {}

  /// Whether the code at a point relies on running alone.
  ///
  /// @param where class and method
  static boolean runAlone(String where) {
    return where.startsWith("java/")
        ? isInListOrCalledByHeddle()
        : isOfTheCore(where) && CoroutineNode.onLoopOrNull() != null;
  }

  private static boolean isOfTheCore(String where) {
    for (String room : ROOMS_OF_THE_CORE) {
      if (where.startsWith(room, HEDDLE.length())) {
        return where.startsWith(HEDDLE);
      }
    }
    return false;
  }

  private static boolean isInListOrCalledByHeddle() {
    boolean[] is = new boolean[1];
    OpenWorld.outside(() -> is[0] = WALKER.walk(PointCallers::reliesOnRunningAlone));
    return is[0];
  }

  private static boolean reliesOnRunningAlone(Stream<StackWalker.StackFrame> frames) {
    return frames
        .dropWhile(frame -> !frame.getClassName().equals(POINTS))
        .filter(frame -> isListOfThreads(frame) || !isOneOf(JDK, frame))
        .findFirst()
        .map(frame -> isListOfThreads(frame) || isOwn(frame))
        .orElse(false);
  }

  private static boolean isListOfThreads(StackWalker.StackFrame frame) {
    return isOneOf(LISTS_OF_THREADS, frame);
  }

  private static boolean isOwn(StackWalker.StackFrame frame) {
    return frame.getClassName().startsWith(OWN) && IS_OWN.get(frame.getDeclaringClass());
  }

  private static boolean isOneOf(List<String> prefixes, StackWalker.StackFrame frame) {
    return prefixes.stream().anyMatch(frame.getClassName()::startsWith);
  }
}
