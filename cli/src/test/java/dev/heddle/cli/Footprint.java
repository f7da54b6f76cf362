// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What another process of this machine has, seen from outside: its open descriptors, but for jars,
/// and its threads. On systems with `/proc` only.
record Footprint(List<String> descriptors, List<String> threads) {
  private static final int LOOKS = 6_000; // a minute: what stays, stays for ever

  /// Threads that the JVM itself starts and ends as it needs them.
  private static final Predicate<String> OF_THE_JVM =
      name -> name.matches("(C[12] Compiler|GC Thread|G1 ).*");

  static Footprint of(long pid) throws IOException {
    return new Footprint(descriptors(pid), threadsOf(pid));
  }

  static List<String> descriptors(long pid) throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> links = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      for (Path link : links.toList()) {
        open.add(link.getFileName() + " " + target(link));
      }
    }
    open.removeIf(each -> each.endsWith(".jar") || each.endsWith("/modules"));
    return open.stream().sorted().toList();
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return "closed meanwhile";
    }
  }

  private static List<String> threadsOf(long pid) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path task : tasks.toList()) {
        names.add(name(task));
      }
    }
    names.removeIf(OF_THE_JVM.or(String::isEmpty));
    return names.stream().sorted().toList();
  }

  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException _) {
      return ""; // it has ended meanwhile
    }
  }

  /// The files by which it is observed, as far as they are there.
  static Stream<Path> files(long pid) {
    return Stream.of("/tmp/.heddle-" + pid, "/tmp/.java_pid" + pid, "/tmp/.attach_pid" + pid)
        .map(Path::of)
        .filter(Files::exists);
  }

  /// Waits until it has no more than this once more: a thread ends, and closes what it has, a
  /// moment after its observer has left.
  void awaitAgain(long pid) throws Exception {
    for (int i = 0; i < LOOKS && !isAgain(pid); i++) {
      Thread.sleep(10);
    }
    Footprint now = of(pid);
    assertThat(descriptors).containsAll(now.descriptors);
    assertThat(threads).containsAll(now.threads);
  }

  private boolean isAgain(long pid) throws IOException {
    Footprint now = of(pid);
    return descriptors.containsAll(now.descriptors) && threads.containsAll(now.threads);
  }
}
