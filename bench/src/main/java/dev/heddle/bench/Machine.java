// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

/// Where and when a run took place.
///
/// @param processor model name
/// @param cores how many the JVM sees
/// @param system kernel and architecture
/// @param java version of the driver's JVM; contenders say their own
/// @param date of the run, UTC
record Machine(String processor, int cores, String system, String java, String date) {
  static Machine here() {
    return new Machine(
        processorName(),
        Runtime.getRuntime().availableProcessors(),
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        property("java.vendor.version") + " (" + Runtime.version() + ")",
        LocalDate.now(ZoneOffset.UTC).toString());
  }

  /// One line for people.
  String text() {
    return place() + "; " + date;
  }

  /// The same without the date.
  String place() {
    return processor + ", " + cores + " cores; " + system + "; " + java;
  }

  private static String property(String name) {
    return System.getProperty(name, "unknown");
  }

  private static String processorName() {
    try {
      return Files.readString(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException _) {
      return "unknown processor"; // safe: only Linux tells it in a file
    }
  }
}
