// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is said of a failing run.
///
/// @param result the run
/// @param found the run before its schedule was shrunk
/// @param runs the number of runs for that; 0: it was not shrunk
/// @param repeats whether it has failed in the same way when it was repeated
/// @param tried the number of runs until it was found; 0: it is the only one
record FailureText(
    SimulationResult<?> result, SimulationResult<?> found, int runs, boolean repeats, int tried) {
  private static final int MOST_SHOWN = 20; // decisions

  static FailureText of(SimulationResult<?> result) {
    return new FailureText(result, result, 0, true, 0);
  }

  /// For a test that is on the current stack, if it is one.
  SimulationError error() {
    return new SimulationError(text(TestName.onStack()), result);
  }

  SimulationError error(String test) {
    return new SimulationError(text(test), result);
  }

  private String text(@Nullable String test) {
    StringBuilder text = new StringBuilder("seed ").append(result.seed());
    if (tried > 1) {
      text.append(", run ").append(tried);
    }
    text.append(" failed after ")
        .append(Decision.inWords(result.elapsed()))
        .append(" of virtual time: ")
        .append(result.failure())
        .append("\nreplay with ")
        .append(Replay.line(result, test));
    describeSchedule(text);
    if (!repeats) {
      text.append("\nit did not repeat: a second run with the same decisions failed differently");
    }
    result
        .uncontrolled()
        .forEach(what -> text.append("\nnot controlled, a replay may differ: ").append(what));
    return text.append('\n').toString();
  }

  private void describeSchedule(StringBuilder text) {
    List<Decision> all = result.decisions();
    List<Decision> other = all.stream().filter(decision -> decision.chosen() > 0).toList();
    text.append(
        "\nof %,d decisions %,d differ from the oldest first".formatted(all.size(), other.size()));
    if (runs > 0) {
      long before = found.decisions().stream().filter(decision -> decision.chosen() > 0).count();
      text.append(" (%,d before %,d runs that shrank them)".formatted(before, runs));
    }
    other.stream().limit(MOST_SHOWN).forEach(decision -> text.append("\n  ").append(decision));
    if (other.size() > MOST_SHOWN) {
      text.append("\n  and %,d more".formatted(other.size() - MOST_SHOWN));
    }
  }
}
