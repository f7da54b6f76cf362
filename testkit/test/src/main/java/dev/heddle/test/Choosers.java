// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Chooser;
import java.util.SplittableRandom;

/// The choosers of single runs.
final class Choosers {
  private Choosers() {}

  /// The chooser of the run with the given seed. That of an exhaustive strategy is its first.
  static Chooser of(Strategy strategy, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch (strategy) {
      case Strategy.RandomWalk _ -> (_, ready) -> random.nextInt(ready.size());
      case Strategy.Pct pct -> new PctChooser(random, pct.depth());
      case Strategy.Exhaustive _, Strategy.Fifo _ -> Chooser.FIFO;
    };
  }
}
