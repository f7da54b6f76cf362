// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Heddle;
import dev.heddle.world.WorldAgent;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What two failures share that are the same for a reader: their class, and the first frame of the
/// program. Where an assertion library or Heddle has thrown it, that is the frame of its caller.
///
/// @param type the name of the class
/// @param thrownAt null: no code of the program was running
/// @param reason of a failure that has no frame: the kind of what it has observed; null: nothing
record FailureKind(
    String type, @Nullable StackTraceElement thrownAt, @Nullable FailureKind reason) {
  private static final int DEPTH = 3; // of causes; they may form a cycle

  private static final List<String> LIBRARIES =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "kotlin.",
          "org.junit.",
          "junit.framework.",
          "org.opentest4j.",
          "org.assertj.",
          "org.hamcrest.",
          "com.google.common.truth.");

  private static final List<CodeSource> OWN =
      Stream.of(Heddle.class, FailureKind.class, WorldAgent.class)
          .map(type -> type.getProtectionDomain().getCodeSource())
          .filter(Objects::nonNull)
          .toList();

  /// @throws IllegalArgumentException when the run did not fail
  static FailureKind of(SimulationResult<?> result) {
    Throwable failure = result.failure();
    if (failure == null) {
      throw new IllegalArgumentException("the run did not fail");
    }
    return of(failure);
  }

  static FailureKind of(Throwable failure) {
    return of(failure, DEPTH);
  }

  private static FailureKind of(Throwable failure, int depth) {
    for (StackTraceElement frame : failure.getStackTrace()) {
      if (isOfProgram(frame)) {
        return new FailureKind(failure.getClass().getName(), frame, null);
      }
    }
    List<Throwable> observed = new ArrayList<>(Arrays.asList(failure.getSuppressed()));
    if (failure.getCause() != null) {
      observed.addFirst(failure.getCause());
    }
    boolean last = observed.isEmpty() || depth == 0;
    return new FailureKind(
        failure.getClass().getName(), null, last ? null : of(observed.getFirst(), depth - 1));
  }

  private static boolean isOfProgram(StackTraceElement frame) {
    String name = frame.getClassName();
    return LIBRARIES.stream().noneMatch(name::startsWith) && !isOwn(name);
  }

  // by the place that it was loaded from: the tests of Heddle are in packages of Heddle
  private static boolean isOwn(String name) {
    if (!name.startsWith("dev.heddle.")) {
      return false;
    }
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      CodeSource source = Class.forName(name, false, loader).getProtectionDomain().getCodeSource();
      return source != null && OWN.contains(source);
    } catch (ClassNotFoundException | LinkageError _) {
      return false; // safe: a hidden class, or one of another loader: the program's
    }
  }
}
