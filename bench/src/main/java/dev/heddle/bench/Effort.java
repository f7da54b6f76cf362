// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import java.time.Duration;

/// How long a shape may take.
///
/// @param warmUp per contender and case, before the first round that counts
/// @param round how long a calibrated round is meant to take
/// @param rounds how many rounds count, if the budget allows
/// @param budget for a whole shape: rounds end early rather than late
/// @param tiny true where rounds only show that everything works
record Effort(Duration warmUp, Duration round, int rounds, Duration budget, boolean tiny) {
  /// For good figures.
  static Effort full() {
    return new Effort(
        Duration.ofSeconds(2), Duration.ofMillis(300), 21, Duration.ofMinutes(4), false);
  }

  /// For a first look: under a minute a shape.
  static Effort quick() {
    return new Effort(
        Duration.ofMillis(600), Duration.ofMillis(100), 9, Duration.ofSeconds(48), false);
  }

  /// How thorough the run was, for people.
  String text() {
    return "Up to "
        + rounds
        + " rounds of "
        + round.toMillis()
        + " ms per contender and case, at most "
        + budget.toSeconds()
        + " s a shape.";
  }

  /// For the test of the harness itself.
  static Effort tinyRound() {
    return new Effort(Duration.ZERO, Duration.ZERO, 1, Duration.ofSeconds(20), true);
  }
}
