// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A contender's JVM: how it is started, and what it says it is.
final class Jvm {
  private Jvm() {}

  /// The command that runs `main` with the names of shape and contender, with our class path or
  /// that of another build.
  static List<String> command(Shape shape, Contender contender, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(contender.flags());
    command.add("--enable-native-access=ALL-UNNAMED"); // the CPU clock's, and Netty's
    command.add("-cp");
    command.add(
        contender
            .build()
            .map(Contender.Build::classPath)
            .orElseGet(() -> System.getProperty("java.class.path")));
    command.add(main.getName());
    command.add(shape.name());
    command.add(contender.programName());
    return command;
  }

  /// This JVM's version and collector.
  static String runtime() {
    String collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", "));
    return "Java " + Runtime.version() + ", " + collectors;
  }
}
