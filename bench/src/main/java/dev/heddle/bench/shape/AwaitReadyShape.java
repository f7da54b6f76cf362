// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.ours.HeddleAwaitReady;
import dev.heddle.bench.peer.FutureJoin;
import dev.heddle.bench.peer.kotlin.KotlinAwaitReady;
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
                RoundSize.calibrated(102_400, 10_240),
                List.of(
                    new Row("await-ready", Metric.WALL),
                    new Row("await-ready-bytes", Metric.count(Meter.ALLOCATED, "B"))))),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("await-ready", Contender.HEDDLE, 4, "join"),
        Bar.ratio("await-ready", Contender.HEDDLE_LAUNCHER, 4, "join"),
        Bar.count("await-ready", Contender.HEDDLE, Meter.ALLOCATED, 0),
        Bar.count("await-ready", Contender.HEDDLE, "switches", 0));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleAwaitReady(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleAwaitReady(size.size())),
        Contender.of(
            "join",
            "CompletableFuture.join on complete futures",
            Flags.stock(),
            _ -> new FutureJoin()),
        LoopContenders.coroutines("await", _ -> new KotlinAwaitReady()));
  }
}
