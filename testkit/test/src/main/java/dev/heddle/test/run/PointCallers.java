// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Heddle;
import dev.heddle.world.OpenWorld;
import java.security.CodeSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Tells who has called the code of the JDK in which a preemption point is: the program, or Heddle.
/// A loop relies on running alone, also where it uses a collection of the JDK.
final class PointCallers {
  private static final String POINTS = "java.lang.HeddlePoints";
  private static final String OWN = "dev.heddle.";
  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private static final List<CodeSource> OWN_SOURCES =
      Stream.of(Heddle.class, SimulatedLoop.class, OpenWorld.class)
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

  /// Whether a point is in code of the JDK.
  ///
  /// @param where class and method
  static boolean isOfJdk(String where) {
    return where.startsWith("java/");
  }

  /// Whether Heddle has called the code of the JDK that is at a point now.
  static boolean isHeddle() {
    boolean[] is = new boolean[1];
    OpenWorld.outside(() -> is[0] = WALKER.walk(PointCallers::isHeddle));
    return is[0];
  }

  private static boolean isHeddle(Stream<StackWalker.StackFrame> frames) {
    return frames
        .dropWhile(frame -> !frame.getClassName().equals(POINTS))
        .filter(frame -> JDK.stream().noneMatch(frame.getClassName()::startsWith))
        .findFirst()
        .map(frame -> frame.getClassName().startsWith(OWN) && IS_OWN.get(frame.getDeclaringClass()))
        .orElse(false);
  }
}
