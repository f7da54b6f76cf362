// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.PoolWaits;
import dev.heddle.bench.measure.WaitTimes;
import dev.heddle.bench.ours.HeddlePool;
import dev.heddle.bench.peer.StockPool;
import dev.heddle.bench.peer.kotlin.KotlinPool;
import java.util.List;

/// The longest wait for a resource of a pool.
final class FairnessPoolShape {
  private static final String NAME = "fairness-pool";
  private static final String UNIT = "x ideal";
  private static final double LIMIT = 3;

  private FairnessPoolShape() {}

  static Shape shape() {
    return new Shape(
        NAME,
        "16 coroutines share 5 resources and hold each for 1 ms: the longest wait, as a multiple of"
            + " the ideal of 2.2 ms, and in milliseconds.",
        List.of(
            new Case(
                NAME,
                "16 over 5",
                PoolWaits.USERS,
                RoundSize.fixed(100 * PoolWaits.USERS, 10 * PoolWaits.USERS),
                List.of(
                    new Row(NAME, Metric.count(PoolWaits.TIMES_IDEAL, UNIT)),
                    new Row(NAME + "-worst", Metric.count(WaitTimes.WORST, "ms"))))),
        new LoopContenders()
            .ours("a Pool", _ -> new HeddlePool())
            .stock("a fair ArrayBlockingQueue of the resources", _ -> new StockPool())
            .kotlin("a Channel of the resources", _ -> new KotlinPool())
            .go()
            .list(),
        List.of(
            Bar.atMost(NAME, Contender.HEDDLE, LIMIT, UNIT),
            Bar.atMost(NAME, Contender.HEDDLE_LAUNCHER, LIMIT, UNIT)));
  }
}
