// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The open descriptors of this process.
public final class Descriptors {
  // without an end a leak would be a test that hangs, and nobody would know of what
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private Descriptors() {}

  /// What all of them refer to, each as often as it is open; empty where the system does not tell.
  public static List<String> targets() throws IOException {
    Path numbers = Path.of("/proc/self/fd");
    if (!Files.exists(numbers)) {
      return List.of();
    }
    try (Stream<Path> links = Files.list(numbers)) {
      return links.map(Descriptors::target).toList();
    }
  }

  /// Waits until those of a kind are open that were open before, or fewer: what a thread has in
  /// hand it closes by itself.
  ///
  /// @param before some [#targets()]
  /// @param pause between two looks
  /// @throws AssertionError with those that stay open
  public static void awaitNoMoreThan(List<String> before, Predicate<String> kind, Runnable pause)
      throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    List<String> more = moreThan(before, kind);
    while (!more.isEmpty()) {
      if (System.nanoTime() - end >= 0) {
        throw new AssertionError("still open: " + more);
      }
      pause.run();
      more = moreThan(before, kind);
    }
  }

  private static List<String> moreThan(List<String> before, Predicate<String> kind)
      throws IOException {
    List<String> more = new ArrayList<>(targets());
    more.removeIf(kind.negate());
    before.forEach(more::remove);
    return more;
  }

  /// All of them, as the JVM counts them.
  static long open() {
    return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getOpenFileDescriptorCount();
  }

  /// Those that a loop opens: sockets, and what a selector is made of. Class files and archives
  /// come and go with whatever else the process does.
  static long ofLoops() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(link -> isOfALoop(target(link))).count();
    }
  }

  /// Sockets alone.
  static long sockets() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(link -> target(link).startsWith("socket:")).count();
    }
  }

  static boolean isOfALoop(String target) {
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
