// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSemaphore;
import dev.heddle.bench.peer.StockSemaphore;
import dev.heddle.bench.peer.kotlin.KotlinSemaphore;
import java.util.List;

/// Permits acquired and released.
final class SemaphoreShape {
  private static final String ALONE = "semaphore";
  private static final int LIMIT = 20; // ns

  private SemaphoreShape() {}

  static Shape shape() {
    return new Shape(
        "semaphore",
        "A permit of four is acquired and released: by one coroutine alone, and by 16, each of"
            + " which lets the others run while it holds the permit. One operation is one permit.",
        List.of(
            Case.of(ALONE, "alone", 1, RoundSize.calibrated(100_000, 10_000), Metric.WALL),
            Case.of(
                "semaphore-contended",
                "16 coroutines, 4 permits",
                16,
                RoundSize.calibrated(16_000, 1_600),
                Metric.WALL)),
        new LoopContenders()
            .ours("a Semaphore", size -> new HeddleSemaphore(size.size()))
            .stock("the JDK's Semaphore", size -> new StockSemaphore(size.size()))
            .kotlin("a Semaphore", size -> new KotlinSemaphore(size.size()))
            .go()
            .tokio()
            .list(),
        List.of(
            Bar.atMost(ALONE, Contender.HEDDLE, LIMIT, "ns"),
            Bar.atMost(ALONE, Contender.HEDDLE_LAUNCHER, LIMIT, "ns")));
  }
}
