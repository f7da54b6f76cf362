// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.peer.FutureJoin;
import java.util.List;

/// Awaiting what is complete.
final class AwaitReadyShape {
  private AwaitReadyShape() {}

  static Shape shape() {
    return new Shape(
        "await-ready",
        "Something complete is awaited: 1,024 of them in turn. The second row is bytes allocated.",
        List.of(
            new Case(
                "await-ready",
                "complete",
                FutureJoin.COMPLETE,
                Pace.calibrated(102_400, 10_240),
                List.of(
                    new Row("await-ready", Metric.WALL),
                    new Row("await-ready-bytes", Metric.count(Meter.ALLOCATED, "B"))))),
        contenders(),
        List.of());
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            "join",
            "CompletableFuture.join on complete futures",
            Flags.stock(),
            _ -> new FutureJoin()));
  }
}
