// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Names the places at which a program uses files of the default file system.
///
/// A place is the line of the program, with its stack; it is named once in a run, whatever the
/// files are. What the JDK reads for itself is not the program's: classes and resources of the
/// class path, time zones, security settings.
///
/// **Thread** the carrier, and what is mounted there.
final class RealFiles {
  private static final int MOST_FRAMES = 16;

  private static final StackWalker WALKER = StackWalker.getInstance();

  // between the operation and this class
  private static final List<String> HOOK =
      List.of("dev.heddle.test.run.", "dev.heddle.world.", "java.lang.Heddle");

  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

  /// Parts of the JDK that read files nobody has asked them for.
  private static final List<String> READ_FOR_THE_JDK =
      List.of(
          "com.sun.crypto.",
          "java.lang.Class.",
          "java.lang.ClassLoader",
          "java.lang.Module",
          "java.net.URLClassLoader",
          "java.security.",
          "java.time.zone.",
          "java.util.Currency",
          "java.util.ResourceBundle",
          "java.util.ServiceLoader",
          "java.util.TimeZone",
          "java.util.logging.LogManager",
          "javax.crypto.",
          "javax.net.ssl.",
          "jdk.internal.loader.",
          "jdk.internal.module.",
          "sun.net.",
          "sun.security.",
          "sun.util.");

  private final Set<String> named = new HashSet<>();

  /// Looks at the current stack, in which a file is about to be opened, listed, made or deleted.
  ///
  /// @return what to name, in words; null: it is named already, or not the program's
  @Nullable String name(String file) {
    List<StackFrame> stack = new ArrayList<>();
    WALKER.forEach(stack::add);
    int site = siteIn(stack);
    if (site < 0) {
      return null;
    }
    String where =
        stack.stream()
            .skip(site)
            .limit(MOST_FRAMES)
            .map(frame -> "\n  at " + frame)
            .collect(Collectors.joining());
    return named.add(where)
        ? "a file of the default file system is used, which is real: %s%s".formatted(file, where)
        : null;
  }

  // the innermost frame of the program; -1: the JDK or Heddle has asked for the file
  private static int siteIn(List<StackFrame> stack) {
    for (int i = 0; i < stack.size(); i++) {
      StackFrame frame = stack.get(i);
      String type = frame.getClassName();
      if (startsWithOne(type, HOOK)) {
        continue;
      }
      if (!startsWithOne(type, JDK)) {
        return ProgramSite.isProgram(type) ? i : -1;
      }
      boolean initialises = frame.getMethodName().equals("<clinit>");
      if (initialises || startsWithOne(type + '.', READ_FOR_THE_JDK)) {
        return -1;
      }
    }
    return -1;
  }

  private static boolean startsWithOne(String name, List<String> prefixes) {
    return prefixes.stream().anyMatch(name::startsWith);
  }
}
