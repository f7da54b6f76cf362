// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The system properties that replay a failing run, and the line that does.
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

  /// How to replay a run: the command, in a checkout that has `./heddle`; else the properties.
  ///
  /// @param test its name; null: not known, and the command needs it
  static String line(SimulationResult<?> result, @Nullable String test) {
    return test != null && isInCheckout(Path.of("").toAbsolutePath())
        ? command(result.seed(), result.schedule(), test)
        : "-D%s=%d -D%s=%s".formatted(SEED, result.seed(), SCHEDULE, result.schedule());
  }

  static String command(long seed, String schedule, String test) {
    String quoted = schedule.matches("[\\w:,.+-]+") ? schedule : "'" + schedule + "'";
    return "./heddle test --seed %d --schedule %s '%s'".formatted(seed, quoted, test);
  }

  /// Whether a folder is in a project with the script `heddle`, which builds with Maven's wrapper
  /// beside it.
  static boolean isInCheckout(Path folder) {
    for (Path at = folder; at != null; at = at.getParent()) {
      Path script = at.resolve("heddle");
      if (Files.isRegularFile(script) && Files.isExecutable(script)) {
        return Files.isRegularFile(at.resolve("mvnw"));
      }
    }
    return false;
  }
}
