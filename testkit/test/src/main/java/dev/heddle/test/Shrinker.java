// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Shrinks a failing schedule: looks for decisions without which the run fails in the same way.
///
/// Delta debugging over the decisions that differ from the oldest first: it replaces groups of them
/// by the oldest first, large groups before small ones, and keeps what still fails.
///
/// @see <a href="https://doi.org/10.1109/32.988498">Zeller and Hildebrandt, Simplifying and
///   isolating failure-inducing input, 2002</a>
final class Shrinker {
  private static final int MOST_RUNS = 500; // a schedule of 100 decisions needs about as many

  private final Function<Schedule, SimulationResult<?>> runner;
  private final Schedule all;
  private final FailureKind failure;

  private int runs;
  private boolean repeats;
  private List<Integer> kept;
  private SimulationResult<?> best;

  /// @param runner runs the program with a schedule
  /// @param found the failing run
  Shrinker(Function<Schedule, SimulationResult<?>> runner, SimulationResult<?> found) {
    this.runner = runner;
    this.all = Schedule.of(found.course());
    this.failure = FailureKind.of(found);
    this.kept = new ArrayList<>(all.choices().keySet());
    this.best = found;
  }

  /// The failing run with the fewest decisions that was found; the first one, if it does not
  /// repeat.
  SimulationResult<?> shrink() {
    if (!tryOnly(kept)) {
      return best;
    }
    repeats = true;
    if (tryOnly(List.of())) {
      return best;
    }
    int parts = 2;
    while (kept.size() > 1 && runs < MOST_RUNS) {
      parts = Math.min(parts, kept.size());
      if (dropOne(parts)) {
        parts = Math.max(2, parts - 1);
      } else if (parts == kept.size()) {
        return best;
      } else {
        parts *= 2;
      }
    }
    return best;
  }

  /// Whether the failing run has failed in the same way when it was repeated.
  boolean repeats() {
    return repeats;
  }

  int runs() {
    return runs;
  }

  // drops one of so many parts; whether that fails, too
  private boolean dropOne(int parts) {
    int size = kept.size();
    for (int part = 0; part < parts && runs < MOST_RUNS; part++) {
      List<Integer> rest = new ArrayList<>(kept.subList(0, size * part / parts));
      rest.addAll(kept.subList(size * (part + 1) / parts, size));
      if (tryOnly(rest)) {
        return true;
      }
    }
    return false;
  }

  private boolean tryOnly(List<Integer> decisions) {
    runs++;
    SimulationResult<?> result = runner.apply(all.only(new HashSet<>(decisions)));
    if (result.failure() == null || !FailureKind.of(result).equals(failure)) {
      return false;
    }
    kept = new ArrayList<>(decisions);
    best = result;
    return true;
  }

  /// What two failures share that are the same for a reader: the name of their class, and where they were
  /// thrown.
  private record FailureKind(String type, @Nullable StackTraceElement thrownAt) {
    static FailureKind of(SimulationResult<?> result) {
      Throwable failure = result.failure();
      if (failure == null) {
        throw new IllegalArgumentException("the run did not fail");
      }
      for (StackTraceElement frame : failure.getStackTrace()) {
        String name = frame.getClassName();
        if (!name.startsWith("java.") && !name.startsWith("jdk.")) {
          return new FailureKind(failure.getClass().getName(), frame);
        }
      }
      return new FailureKind(failure.getClass().getName(), null);
    }
  }
}
