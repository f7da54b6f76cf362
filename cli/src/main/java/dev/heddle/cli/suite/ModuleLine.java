// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.time.Duration;

/// The progress of a module at one moment.
///
/// @param name its folder
/// @param stage its present stage
/// @param passed tests so far
/// @param failed tests so far
/// @param skipped tests so far
/// @param done test classes so far
/// @param expected test classes of the whole module, as far as one can know; 0 for unknown
/// @param elapsed since it began
record ModuleLine(
    String name,
    BuildLog.Stage stage,
    long passed,
    long failed,
    long skipped,
    int done,
    int expected,
    Duration elapsed) {
  private static final int BAR = 20; // characters

  boolean isRunning() {
    return stage == BuildLog.Stage.BUILDING || stage == BuildLog.Stage.TESTING;
  }

  boolean hasEnded() {
    return stage.compareTo(BuildLog.Stage.DONE) >= 0;
  }

  /// The line of a module that has ended.
  String ended() {
    String state =
        switch (stage) {
          case WAITING, NOT_RUN -> "not run";
          case STOPPED -> "STOPPED";
          case BUILDING, TESTING -> "cut off";
          case DONE -> failed > 0 ? "FAILED" : "ok";
        };
    return line(state, stage == BuildLog.Stage.NOT_RUN ? "" : results());
  }

  /// The line of one that runs, with its bar.
  String running() {
    return stage == BuildLog.Stage.BUILDING && done == 0
        ? line("building", "")
        : line("testing", bar() + results());
  }

  private String line(String state, String rest) {
    String time =
        elapsed.isZero() ? "" : "%d:%02d".formatted(elapsed.toMinutes(), elapsed.toSecondsPart());
    return "  %-9s %-8s %5s  %s".formatted(name, state, time, rest).stripTrailing();
  }

  private String results() {
    if (passed + failed + skipped == 0) {
      return stage == BuildLog.Stage.DONE ? "no tests of its own" : "";
    }
    return passed
        + " passed"
        + (failed > 0 ? ", " + failed + " failed" : "")
        + (skipped > 0 ? ", " + skipped + " skipped" : "");
  }

  /// Never full: only the end of the module is the end.
  private String bar() {
    if (expected == 0) {
      return "";
    }
    int full = (int) Math.min(BAR - 1, (long) BAR * done / expected);
    return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "] ";
  }
}
