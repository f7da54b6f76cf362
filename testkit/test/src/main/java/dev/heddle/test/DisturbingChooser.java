// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Candidates;
import dev.heddle.test.run.Chooser;
import java.util.SplittableRandom;

/// Makes the decisions of another chooser; now and then, keeps the one that runs away from its work
/// for some time, or ends a wait for no reason.
final class DisturbingChooser implements Chooser {
  private static final long SHORTEST_NANOS = 1_000;
  private static final int DECADES = 7; // 1 us to 10 s, each power of ten as likely as the next

  private final Chooser order;
  private final SplittableRandom random;
  private final int stalls;
  private final int wakeUps;

  /// @param stalls at one point in so many; 0: at none
  /// @param wakeUps before one step in so many; 0: before none
  DisturbingChooser(Chooser order, SplittableRandom random, int stalls, int wakeUps) {
    this.order = order;
    this.random = random;
    this.stalls = stalls;
    this.wakeUps = wakeUps;
  }

  @Override
  public int choose(int decision, Candidates ready) {
    return order.choose(decision, ready);
  }

  @Override
  public long atPoint(int point, long running, boolean contested) {
    return stalls > 0 && random.nextInt(stalls) == 0
        ? stallNanos()
        : order.atPoint(point, running, contested);
  }

  private long stallNanos() {
    long decade = SHORTEST_NANOS;
    for (int i = random.nextInt(DECADES); i > 0; i--) {
      decade *= 10;
    }
    return random.nextLong(decade, 10 * decade);
  }

  @Override
  public int chooseInstead(int point, Candidates others) {
    return order.chooseInstead(point, others);
  }

  @Override
  public int wake(int step, Candidates waiting) {
    return wakeUps > 0 && random.nextInt(wakeUps) == 0 && waiting.size() > 0
        ? random.nextInt(waiting.size())
        : NOBODY;
  }
}
