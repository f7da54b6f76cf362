// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

/// The system properties that replay a failing run.
final class Replay {
  private static final String SEED = "heddle.test.seed";
  private static final String SCHEDULE = "heddle.test.schedule";

  private Replay() {}

  /// The options with what the properties say.
  ///
  /// @throws IllegalArgumentException when a property has an invalid value
  static SimulationOptions of(SimulationOptions options) {
    SimulationOptions replayed = options;
    String seed = System.getProperty(SEED);
    if (seed != null) {
      replayed = replayed.withSeed(parse(seed)).withSeeds(1);
    }
    String schedule = System.getProperty(SCHEDULE);
    return schedule == null ? replayed : replayed.withSchedule(schedule).withSeeds(1);
  }

  private static long parse(String seed) {
    try {
      return Long.parseLong(seed);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("-D" + SEED + "=" + seed + ": must be a number");
    }
  }

  /// How to replay a run, in words.
  static String line(SimulationResult<?> result) {
    return "-D%s=%d -D%s=%s".formatted(SEED, result.seed(), SCHEDULE, result.schedule());
  }
}
