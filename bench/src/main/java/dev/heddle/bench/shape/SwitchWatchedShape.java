// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.HeddleOptions;
import dev.heddle.bench.measure.PairedRun;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.ours.HeddleSwitch;
import java.time.Duration;
import java.util.List;

/// What a switch loses to those who look on.
final class SwitchWatchedShape {
  private static final String ROW = "switch-watched";
  private static final String BARE = "heddle-bare";
  private static final String ALL = "heddle-all";

  private static final HeddleOptions UNWATCHED =
      HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);

  private SwitchWatchedShape() {}

  static Shape shape() {
    return new Shape(
        ROW,
        "Two coroutines yield to each other, without and with all diagnostics. Each of the watched"
            + " runs beside the bare one in its JVM, in turns of a sixteenth of a round;"
            + " the bar is on the ratio of CPU times, turn by turn.",
        List.of(Case.of(ROW, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL)),
        contenders(),
        List.of(Bar.inTurns(ROW, Contender.HEDDLE, 1.10, BARE), Bar.inTurns(ROW, ALL, 1.10, BARE)));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "as it comes: with the watchdog",
            Flags.library(),
            size -> watched(size, false)),
        Contender.of(
            BARE,
            "without the watchdog and the stall report",
            Flags.library(),
            SwitchWatchedShape::bare),
        Contender.of(
            ALL,
            "with the watchdog and a switch handler on each coroutine",
            Flags.library(),
            size -> watched(size, true)));
  }

  private static Program bare(Case size) {
    return new HeddleSwitch(size.size(), UNWATCHED, false);
  }

  private static Program watched(Case size, boolean handled) {
    return new PairedRun(
        new HeddleSwitch(size.size(), HeddleOptions.defaults(), handled), bare(size));
  }
}
