// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Candidates;
import dev.heddle.test.run.Chooser;
import java.util.SplittableRandom;

/// Chooses any of those that are ready, and preempts at some of the points.
final class WalkChooser implements Chooser {
  private static final int PREEMPTION = 10; // one contested point in so many

  private final SplittableRandom random;

  WalkChooser(SplittableRandom random) {
    this.random = random;
  }

  @Override
  public int choose(int decision, Candidates ready) {
    return random.nextInt(ready.size());
  }

  @Override
  public long atPoint(int point, long running, boolean contested) {
    return contested && random.nextInt(PREEMPTION) == 0 ? 0 : GO_ON;
  }

  @Override
  public int chooseInstead(int point, Candidates others) {
    return random.nextInt(others.size());
  }
}
