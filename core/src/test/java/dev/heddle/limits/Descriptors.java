// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The open descriptors of this process.
final class Descriptors {
  private Descriptors() {}

  /// All of them, as the JVM counts them.
  static long open() {
    return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getOpenFileDescriptorCount();
  }

  /// Those that a loop opens: sockets, and what a selector is made of. Class files and archives
  /// come and go with whatever else the process does.
  static long ofLoops() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(Descriptors::isOfALoop).count();
    }
  }

  /// Sockets alone.
  static long sockets() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(link -> target(link).startsWith("socket:")).count();
    }
  }

  private static boolean isOfALoop(Path link) {
    String target = target(link);
    return target.startsWith("socket:") || target.startsWith("anon_inode:");
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return ""; // closed meanwhile: the one that lists the folder
    }
  }
}
