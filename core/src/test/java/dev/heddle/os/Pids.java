// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Heddle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// Processes that tests look for.
public final class Pids {
  private Pids() {}

  /// Whether a process could still do something; one that nobody has asked for could not.
  static boolean isRunning(long pid) {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(process -> process.info().command().isPresent())
        .isPresent();
  }

  /// Ends one that a test has left, if it runs.
  static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  /// The children of this process that have not ended.
  static List<Long> children() {
    return ProcessHandle.current()
        .children()
        .filter(ProcessHandle::isAlive)
        .map(ProcessHandle::pid)
        .toList();
  }

  /// Lets other coroutines go on until it has ended.
  static void awaitEnd(long pid) {
    while (isRunning(pid)) {
      Heddle.yieldNow();
    }
  }

  /// Whether the number of a descriptor of this process stands for a file, or pipe, still.
  ///
  /// @param number a path below `/proc/self/fd`
  public static boolean isOpen(Path number, Path file) throws IOException {
    try {
      return Files.readSymbolicLink(number).equals(file);
    } catch (NoSuchFileException _) {
      return false;
    }
  }
}
