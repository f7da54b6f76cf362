// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.HeddleOptions;
import dev.heddle.bench.measure.PairedRun;
import dev.heddle.bench.ours.HeddleSwitch;
import dev.heddle.bench.ours.HeddleWatched;
import java.util.List;

/// What a loop pays while `heddle top` looks at it.
final class WatchedShape {
  private static final String ROW = "watched";
  private static final String SWITCH = "watched-switch";
  private static final String SWITCHING = "heddle-switch";
  private static final String TRACED = "traced-switch";
  private static final String RECORDED = "heddle-recorded";
  private static final String ACCOUNTS = "accounted-switch";
  private static final String ACCOUNTED = "heddle-accounted";
  private static final String BARE = "heddle-bare";
  private static final int PARKED = 100_000;
  private static final int WATCHED_MILLIS = 10_000;
  private static final int MOST_MILLIS = 5;

  private WatchedShape() {}

  static Shape shape() {
    return new Shape(
        ROW,
        "100,000 coroutines wait, and an observer looks each second: the processor time of the"
            + " loop's thread, which has nothing else to do. And two coroutines that yield to each"
            + " other, looked at ten times a second, beside the same two in the same JVM with"
            + " nobody who looks, in turns of a sixteenth of a round. The same two while a trace"
            + " of them is recorded, and while an observer has their use of the loop counted.",
        List.of(
            new Case(
                ROW,
                "100,000 parked",
                PARKED,
                RoundSize.idle(WATCHED_MILLIS, 20),
                List.of(
                    new Row(
                        ROW, Metric.count(HeddleWatched.LOOP_MILLIS, "ms of the loop a second")))),
            Case.of(SWITCH, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL),
            Case.of(ACCOUNTS, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL),
            Case.of(TRACED, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL)),
        List.of(
            Contender.of(
                    Contender.HEDDLE,
                    "waiting coroutines, looked at each second",
                    Flags.library(),
                    size -> new HeddleWatched(size.size()))
                .only(ROW),
            Contender.of(
                    SWITCHING,
                    "switching coroutines, looked at ten times a second",
                    Flags.library(),
                    size ->
                        new PairedRun(
                            HeddleSwitch.watched(size.size()),
                            new HeddleSwitch(size.size(), HeddleOptions.defaults(), false)))
                .only(SWITCH),
            Contender.of(
                    ACCOUNTED,
                    "switching coroutines with accounts",
                    Flags.library(),
                    size ->
                        new PairedRun(
                            HeddleSwitch.accounted(size.size()),
                            new HeddleSwitch(size.size(), HeddleOptions.defaults(), false)))
                .only(ACCOUNTS),
            Contender.of(
                    RECORDED,
                    "switching coroutines of which a trace is recorded",
                    Flags.library(),
                    size ->
                        new PairedRun(
                            HeddleSwitch.traced(size.size()),
                            new HeddleSwitch(size.size(), HeddleOptions.defaults(), false)))
                .only(TRACED)),
        List.of(
            Bar.atMost(ROW, Contender.HEDDLE, MOST_MILLIS, "ms of the loop a second"),
            Bar.inTurns(SWITCH, SWITCHING, 1.10, BARE),
            Bar.inTurns(ACCOUNTS, ACCOUNTED, 1.10, BARE),
            Bar.inTurns(TRACED, RECORDED, 1.15, BARE)));
  }
}
