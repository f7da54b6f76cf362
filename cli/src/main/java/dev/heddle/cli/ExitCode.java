// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// What the process ends with; part of the promise to scripts.
final class ExitCode {
  static final int OK = 0;

  /// The program, a test or a check failed.
  static final int FAILURE = 1;

  /// Wrong usage, a missing file, a compile error, a class without `main`.
  static final int USAGE = 2;

  /// Every coroutine waits and nobody can wake one; `EX_SOFTWARE` of sysexits.h.
  static final int DEADLOCK = 70;

  private ExitCode() {}
}
