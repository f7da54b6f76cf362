// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// The exit codes of the process; scripts may rely on them.
final class ExitCode {
  static final int OK = 0;

  /// The program, a test or a check failed.
  static final int FAILURE = 1;

  /// Wrong usage, a missing file, a compile error, a class without `main`.
  static final int USAGE = 2;

  /// Deadlock: every coroutine waits, and nothing can wake one; `EX_SOFTWARE` of sysexits.h.
  static final int DEADLOCK = 70;

  private ExitCode() {}
}
