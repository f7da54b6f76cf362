// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Shrinks a failing schedule: looks for decisions, preemptions, stalls and wake-ups without which
/// the run fails in the same way.
///
/// Delta debugging: it leaves out groups of them, large groups before small ones, and keeps what
/// still fails. Where a decision is left out, the oldest runs first.
///
/// @see <a href="https://doi.org/10.1109/32.988498">Zeller and Hildebrandt, Simplifying and
///   isolating failure-inducing input, 2002</a>
final class Shrinker {
  private static final int MOST_RUNS = 500; // a schedule of 100 decisions needs about as many

  private final Function<Schedule, SimulationResult<?>> runner;
  private final FailureKind failure;

  private int runs;
  private boolean repeats;
  private List<Schedule.Entry> kept;
  private SimulationResult<?> best;

  /// @param runner runs the program with a schedule
  /// @param found the failing run
  Shrinker(Function<Schedule, SimulationResult<?>> runner, SimulationResult<?> found) {
    this.runner = runner;
    this.failure = FailureKind.of(found);
    this.kept = Schedule.of(found.course()).entries();
    this.best = found;
  }

  /// The failing run with the fewest decisions that was found; the first one, if it does not
  /// repeat.
  SimulationResult<?> shrink() {
    if (!tryOnly(kept)) {
      return best;
    }
    repeats = true;
    if (kept.isEmpty() || tryOnly(List.of())) {
      return best;
    }
    // many failures need either only an order or only preemptions
    boolean _ = tryPart(decisions()) || tryPart(interruptions());
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

  /// Whether it stopped before it had tried all there was to try.
  boolean isCutShort() {
    return runs >= MOST_RUNS;
  }

  // drops one of so many parts; whether that fails, too
  private boolean dropOne(int parts) {
    int size = kept.size();
    for (int part = 0; part < parts && runs < MOST_RUNS; part++) {
      List<Schedule.Entry> rest = new ArrayList<>(kept.subList(0, size * part / parts));
      rest.addAll(kept.subList(size * (part + 1) / parts, size));
      if (tryOnly(rest)) {
        return true;
      }
    }
    return false;
  }

  private boolean tryPart(List<Schedule.Entry> part) {
    return !part.isEmpty() && part.size() < kept.size() && tryOnly(part);
  }

  private List<Schedule.Entry> decisions() {
    return kept.stream().filter(entry -> entry.kind() == null).toList();
  }

  private List<Schedule.Entry> interruptions() {
    return kept.stream().filter(entry -> entry.kind() != null).toList();
  }

  private boolean tryOnly(List<Schedule.Entry> entries) {
    runs++;
    SimulationResult<?> result = runner.apply(new Schedule(entries));
    if (result.isAbandoned()) {
      runs = MOST_RUNS; // another one would take as long, and hold another processor
    }
    if (result.failure() == null || !FailureKind.of(result).equals(failure)) {
      return false;
    }
    kept = List.copyOf(entries);
    best = result;
    return true;
  }
}
