// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import dev.heddle.simulated.program.Program;

/// How a run ends.
///
/// @param kind in which way
/// @param text what was thrown, in one line; empty for a run that passes
record Ending(Kind kind, String text) {

  /// In which way.
  enum Kind {
    PASSED,
    /// Everybody waits.
    DEADLOCK,
    /// A thread has thrown.
    FAILURE,
    /// The simulation refused the run, or ended it: it cannot control something, or the run does
    /// not end.
    REFUSED
  }

  /// Whether it is the bug that the program has.
  boolean isBugOf(Program program) {
    return switch (program.expected()) {
      case DEADLOCK -> kind == Kind.DEADLOCK;
      case FAILURE, EXPLAINED -> kind == Kind.FAILURE;
      case PASSES -> false;
    };
  }
}
