// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which classes are what, by their names with dots.
final class JdkNames {
  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

  // What the hook and the rewriter themselves run on, and what measures the JVM. Classes that a
  // table
  // names are changed all the same.
  private static final List<String> LEFT_ALONE =
      List.of(
          "java.lang.Heddle",
          "java.lang.System",
          "java.lang.classfile.",
          "java.lang.constant.",
          "java.lang.invoke.",
          "jdk.internal.classfile.",
          "jdk.internal.event.",
          "jdk.internal.logger.",
          "jdk.internal.misc.",
          "jdk.internal.module.",
          "jdk.internal.perf.",
          "jdk.internal.vm.",
          "jdk.jfr.");

  private static final Set<String> OWN_PACKAGES =
      Set.of("dev.heddle.world", "dev.heddle.world.rewrite");

  // Heddle itself: a coroutine that is preempted within its own scheduler would corrupt it.
  private static final String HEDDLE = "dev.heddle.";

  private static final Set<String> IN_TABLES =
      Stream.of(
              JdkEdits.ALL.stream().map(Edit::type),
              Calls.ALL.stream().flatMap(call -> call.also().stream()),
              ClockReaders.NAMES.stream())
          .flatMap(names -> names)
          .collect(Collectors.toUnmodifiableSet());

  private JdkNames() {}

  static boolean isJdk(String type) {
    return startsWithOne(type, JDK);
  }

  /// Whether `packages=*` means it.
  static boolean isProgram(String type) {
    return !isJdk(type) && !type.startsWith(HEDDLE);
  }

  static boolean isInTables(String type) {
    return IN_TABLES.contains(type);
  }

  static boolean isLeftAlone(String type) {
    return OWN_PACKAGES.contains(packageOf(type))
        || (startsWithOne(type, LEFT_ALONE) && !isInTables(type));
  }

  private static String packageOf(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('.')));
  }

  private static boolean startsWithOne(String type, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (type.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
