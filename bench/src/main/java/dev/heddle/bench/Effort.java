// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import java.time.Duration;

/// How long a shape may take.
///
/// @param warmUp per contender and case, before the first round that counts
/// @param round how long a calibrated round is meant to take
/// @param rounds how many rounds count, if the budget allows
/// @param budget for a whole shape: rounds end early rather than late
/// @param patience how much longer a shape may take to repeat rounds beside load
/// @param tiny true where rounds only show that everything works
record Effort(
    Duration warmUp, Duration round, int rounds, Duration budget, Duration patience, boolean tiny) {
  private static final int PATIENT = 2;
  private static final int LEAST_ROUNDS = 3;

  /// For good figures.
  static Effort full() {
    return new Effort(
        Duration.ofSeconds(2),
        Duration.ofMillis(300),
        21,
        Duration.ofMinutes(4),
        Duration.ofMinutes(2),
        false);
  }

  /// For a first look: under a minute a shape.
  static Effort quick() {
    return new Effort(
        Duration.ofMillis(600),
        Duration.ofMillis(100),
        9,
        Duration.ofSeconds(48),
        Duration.ZERO,
        false);
  }

  /// A part of it: one of so many starts, of which each has its warm-up.
  Effort start(int starts) {
    return new Effort(
        warmUp,
        round,
        Math.max(LEAST_ROUNDS, rounds / starts),
        budget.multipliedBy(PATIENT).dividedBy(starts),
        budget.dividedBy(starts),
        tiny);
  }

  /// The same with time to wait for a quiet machine: for a report.
  Effort patient() {
    return new Effort(warmUp, round, rounds, budget, budget.multipliedBy(PATIENT), tiny);
  }

  /// The option that asks for it, with a space before it; empty for none.
  String option() {
    return budget.equals(quick().budget) ? " --quick" : "";
  }

  /// How thorough the run was, for people.
  String text() {
    return ("%s run: up to %d rounds of %d ms per contender and case after up to %d ms of warm-up;"
            + " at most %d s a shape.%s")
        .formatted(
            option().isEmpty() ? "Full" : "Quick",
            rounds,
            round.toMillis(),
            warmUp.toMillis(),
            budget.toSeconds(),
            option().isEmpty() ? "" : " That is too short for a JVM to get warm, ours included.");
  }

  /// For the test of the harness itself.
  static Effort tinyRound() {
    return new Effort(Duration.ZERO, Duration.ZERO, 1, Duration.ofSeconds(20), Duration.ZERO, true);
  }
}
