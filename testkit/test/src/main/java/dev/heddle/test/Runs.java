// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import dev.heddle.test.run.Chooser;
import dev.heddle.test.run.Limits;
import dev.heddle.test.run.SimulatedLoop;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Makes single runs.
final class Runs {
  private Runs() {}

  /// Runs `main` once, with decisions of `chooser`.
  static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Chooser chooser, Body<T> main) {
    return new SimulationResult<>(
        options.seed(),
        SimulatedLoop.run(options.loop(), options.seed(), chooser, limits(options), main),
        options.checksLeaks());
  }

  static Limits limits(SimulationOptions options) {
    return new Limits(options.stepLimit(), options.patience());
  }

  /// The chooser of the run that the options describe; of an exhaustive strategy that of the first.
  static Chooser chooser(SimulationOptions options) {
    String schedule = options.schedule();
    return schedule == null
        ? chooser(options.strategy(), options.seed())
        : Schedule.parse(schedule);
  }

  private static Chooser chooser(Strategy strategy, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch (strategy) {
      case Strategy.RandomWalk _ -> (_, ready) -> random.nextInt(ready.size());
      case Strategy.Pct pct -> new PctChooser(random, pct.depth());
      case Strategy.Exhaustive _, Strategy.Fifo _ -> Chooser.FIFO;
    };
  }
}
