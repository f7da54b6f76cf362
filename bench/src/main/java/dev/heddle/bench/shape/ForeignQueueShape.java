// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

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
        List.of(Case.of("foreign-queue", "1 pair", 1, Pace.calibrated(1_000, 500), Metric.WALL)),
        contenders(),
        List.of());
  }

  private static List<Contender> contenders() {
    return List.of(
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
