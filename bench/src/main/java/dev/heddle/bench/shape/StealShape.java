// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Split;
import dev.heddle.bench.ours.process.Steal;
import dev.heddle.bench.peer.thread.PoolSteal;
import java.util.ArrayList;
import java.util.List;

/// A computation that splits unevenly.
final class StealShape {
  private static final String NAME = "steal";
  private static final String POOL = "fork-join";
  private static final String LEAF = "steal-leaf";
  private static final double ENOUGH = 1.8; // of 2
  private static final double CLOSE = 1.03;

  private StealShape() {}

  static Shape shape() {
    Metric speedUp = new Metric("x", sample -> sample.count(Split.SPEED_UP), true);
    List<Contender> contenders =
        new ArrayList<>(new ActorContenders().ours(_ -> new Steal()).list());
    contenders.add(
        Contender.of(POOL, "the JDK's ForkJoinPool", Flags.stock(), _ -> new PoolSteal()));
    contenders.add(ActorContenders.goroutines());
    return new Shape(
        NAME,
        "A computation splits into a tenth and the rest, down to leaves of some 10 us, and is added"
            + " up: how many times as fast it is on all processors as on one.",
        List.of(
            new Case(
                NAME,
                "2,000 leaves and more",
                1,
                RoundSize.calibrated(2_000, 20),
                List.of(new Row(NAME, speedUp), new Row(LEAF, Metric.WALL)))),
        contenders,
        List.of(
            Bar.reaching(NAME, Contender.HEDDLE, ENOUGH, "x"),
            Bar.reaching(NAME, Contender.HEDDLE_LAUNCHER, ENOUGH, "x"),
            Bar.ratio(LEAF, Contender.HEDDLE, CLOSE, POOL),
            Bar.ratio(LEAF, Contender.HEDDLE_LAUNCHER, CLOSE, POOL),
            Bar.below(LEAF, Contender.HEDDLE, ActorContenders.GO)));
  }
}
