// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleNaps;
import dev.heddle.bench.peer.StockNaps;
import java.util.List;

/// Timed waits of the JDK.
final class ForeignSleepShape {
  private ForeignSleepShape() {}

  static Shape shape() {
    return new Shape(
        "foreign-sleep",
        "1,000 coroutines wait for a millisecond again and again, by turns in Thread.sleep and in"
            + " LinkedBlockingQueue.poll(timeout). One operation is one wait.",
        List.of(
            Case.of(
                "foreign-sleep",
                "1,000 coroutines",
                1_000,
                RoundSize.calibrated(50_000, 2_000),
                Metric.CPU)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("foreign-sleep", Contender.HEDDLE, 0.5, "stock"),
        Bar.ratio("foreign-sleep", Contender.HEDDLE_LAUNCHER, 0.5, "stock"));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            _ -> HeddleNaps.foreign()),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            _ -> HeddleNaps.foreign()),
        Contender.of(
            Contender.HEDDLE_DELAY,
            "the same coroutines with Heddle.delay, for comparison",
            Flags.library(),
            _ -> HeddleNaps.delays()),
        Contender.of(
            "stock-1",
            "stock virtual threads on one carrier",
            Flags.stockOneCarrier(),
            _ -> new StockNaps()),
        Contender.of(
            "stock",
            "stock virtual threads on the default carriers",
            Flags.stock(),
            _ -> new StockNaps()));
  }
}
