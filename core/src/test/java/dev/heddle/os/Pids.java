// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Heddle;
import java.util.List;

/// Processes that tests look for.
final class Pids {
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
      Heddle.suspend();
    }
  }
}
