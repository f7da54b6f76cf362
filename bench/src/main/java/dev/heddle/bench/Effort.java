// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.RoundSize;
import dev.heddle.bench.shape.Shape;
import java.time.Duration;
import java.util.stream.Collectors;

/// How long a shape may take.
///
/// @param warmUp per contender and case, before the first round that counts
/// @param round how long a calibrated round is meant to take
/// @param rounds how many rounds count, if the budget allows
/// @param least how many rounds each case has, also where the budget does not allow so many
/// @param budget for a whole shape, but for the least rounds: others end early rather than late
/// @param patience how much longer a shape may take to repeat rounds beside load
/// @param tiny true where rounds only show that everything works
record Effort(
    Duration warmUp,
    Duration round,
    int rounds,
    int least,
    Duration budget,
    Duration patience,
    boolean tiny) {
  private static final int PATIENT = 2;
  private static final int LEAST_ROUNDS = 3;

  /// For good figures.
  static Effort full() {
    return new Effort(
        Duration.ofSeconds(2),
        Duration.ofMillis(300),
        21,
        LEAST_ROUNDS,
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
        1,
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
        1,
        budget.multipliedBy(PATIENT).dividedBy(starts),
        budget.dividedBy(starts),
        tiny);
  }

  /// The same with time to wait for a quiet machine: for a report.
  Effort patient() {
    return new Effort(warmUp, round, rounds, least, budget, budget.multipliedBy(PATIENT), tiny);
  }

  /// What the least rounds of a case take, and the warm-up before them, where a round lasts a fixed
  /// time. Zero elsewhere, and where one round is enough: every case has that.
  Duration need(Shape shape, Case size) {
    RoundSize pace = size.pace();
    if (!pace.timed() || least == 1) {
      return Duration.ZERO;
    }
    Duration each = Duration.ofMillis(pace.least()).multipliedBy(least);
    if (pace.together()) {
      return each;
    }
    long contenders = shape.contenders().stream().filter(contender -> contender.isIn(size)).count();
    return each.plus(warmUp.multipliedBy(pace.warmUps())).multipliedBy(contenders);
  }

  /// For this shape: each case has the same part of the usual time, or what it needs.
  Duration budget(Shape shape) {
    Duration part = budget.dividedBy(shape.cases().size());
    Duration sum = Duration.ZERO;
    for (Case size : shape.cases()) {
      Duration need = need(shape, size);
      sum = sum.plus(need.compareTo(part) > 0 ? need : part);
    }
    return sum;
  }

  /// The option that asks for it, with a space before it; empty for none.
  String option() {
    return budget.equals(quick().budget) ? " --quick" : "";
  }

  /// How thorough the run of a shape is, for people.
  String text(Shape shape) {
    String lengths =
        shape.cases().stream()
            .map(Case::pace)
            .filter(RoundSize::timed)
            .map(pace -> ", some of " + pace.least() + " ms,")
            .distinct()
            .collect(Collectors.joining());
    return ("%s run: up to %d rounds of %d ms%s per contender and case after up to %d ms of"
            + " warm-up; at most %d s.%s")
        .formatted(
            option().isEmpty() ? "Full" : "Quick",
            rounds,
            round.toMillis(),
            lengths,
            warmUp.toMillis(),
            budget(shape).toSeconds(),
            option().isEmpty() ? "" : " That is too short for a JVM to get warm, ours included.");
  }

  /// For the test of the harness itself.
  static Effort tinyRound() {
    return new Effort(
        Duration.ZERO, Duration.ZERO, 1, 1, Duration.ofSeconds(20), Duration.ZERO, true);
  }
}
