// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleQueue;
import dev.heddle.bench.peer.StockQueue;
import java.util.List;

/// Ping-pong through the JDK's blocking queues.
final class ForeignQueueShape {
  private ForeignQueueShape() {}

  static Shape shape() {
    return new Shape(
        "foreign-queue",
        "Two coroutines play ping-pong through two ArrayBlockingQueues of capacity 1. One operation"
            + " is one round trip.",
        List.of(
            Case.of("foreign-queue", "1 pair", 1, RoundSize.calibrated(1_000, 500), Metric.WALL)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("foreign-queue", Contender.HEDDLE, 0.5, "stock"),
        Bar.ratio("foreign-queue", Contender.HEDDLE_LAUNCHER, 0.5, "stock"));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE, "coroutines, library flags", Flags.library(), _ -> new HeddleQueue()),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            _ -> new HeddleQueue()),
        Contender.of(
            "stock-1",
            "stock virtual threads on one carrier",
            Flags.stockOneCarrier(),
            _ -> new StockQueue()),
        Contender.of(
            "stock",
            "stock virtual threads on the default carriers",
            Flags.stock(),
            _ -> new StockQueue()));
  }
}
