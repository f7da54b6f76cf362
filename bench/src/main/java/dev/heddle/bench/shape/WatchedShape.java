// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.HeddleOptions;
import dev.heddle.bench.measure.PairedRun;
import dev.heddle.bench.ours.HeddleSwitch;
import dev.heddle.bench.ours.HeddleWatched;
import dev.heddle.bench.ours.process.ObservedPairs;
import dev.heddle.bench.ours.process.Pairs;
import dev.heddle.bench.ours.process.WatchedProcesses;
import java.util.List;

/// What a loop and a process runtime pay while `heddle top` looks at them, or a trace is recorded.
///
/// The bars are 1.10 with accounts and 1.15 recorded, of switches and of runs of processes. A run
/// of a process that takes a message and sends one is less than half as long as a switch of
/// coroutines, and misses both bars; accounts of coroutines are about at theirs. The page of
/// attempts has the figures.
final class WatchedShape {
  private static final String ROW = "watched";
  private static final String SWITCH = "watched-switch";
  private static final String SWITCHING = "heddle-switch";
  private static final String TRACED = "traced-switch";
  private static final String RECORDED = "heddle-recorded";
  private static final String ACCOUNTS = "accounted-switch";
  private static final String ACCOUNTED = "heddle-accounted";
  private static final String BARE = "heddle-bare";
  private static final String PROCESSES = "watched-processes";
  private static final String IDLE = "heddle-processes";
  private static final String PAIR_ACCOUNTS = "accounted-pairs";
  private static final String PAIRS_ACCOUNTED = "heddle-pairs-accounted";
  private static final String PAIR_TRACE = "traced-pairs";
  private static final String PAIRS_RECORDED = "heddle-pairs-recorded";
  private static final String PLAIN_PAIRS = "heddle-pairs";
  private static final int PAIRS = 64;
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
            + " of them is recorded, and while an observer has their use of the loop counted."
            + " And the same of processes: 100,000 that wait, with the processor time of the"
            + " observer's thread in their JVM; 64 pairs that send a message to and fro, with"
            + " accounts and recorded.",
        cases(),
        contenders(),
        List.of(
            Bar.atMost(ROW, Contender.HEDDLE, MOST_MILLIS, "ms of the loop a second"),
            Bar.inTurns(SWITCH, SWITCHING, 1.10, BARE),
            Bar.inTurns(ACCOUNTS, ACCOUNTED, 1.10, BARE),
            Bar.inTurns(TRACED, RECORDED, 1.15, BARE),
            Bar.atMost(PROCESSES, IDLE, MOST_MILLIS, "ms of the observer a second"),
            Bar.inTurns(PAIR_ACCOUNTS, PAIRS_ACCOUNTED, 1.10, PLAIN_PAIRS),
            Bar.inTurns(PAIR_TRACE, PAIRS_RECORDED, 1.15, PLAIN_PAIRS)));
  }

  private static List<Case> cases() {
    return List.of(
        new Case(
            ROW,
            "100,000 parked",
            PARKED,
            RoundSize.idle(WATCHED_MILLIS, 20),
            List.of(
                new Row(ROW, Metric.count(HeddleWatched.LOOP_MILLIS, "ms of the loop a second")))),
        Case.of(SWITCH, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL),
        Case.of(ACCOUNTS, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL),
        Case.of(TRACED, "2 coroutines", 2, RoundSize.calibrated(100_000, 1_000), Metric.WALL),
        new Case(
            PROCESSES,
            "100,000 waiting",
            PARKED,
            RoundSize.idle(WATCHED_MILLIS, 20),
            List.of(
                new Row(
                    PROCESSES,
                    Metric.count(
                        WatchedProcesses.OBSERVER_MILLIS, "ms of the observer a second")))),
        pairs(PAIR_ACCOUNTS),
        pairs(PAIR_TRACE));
  }

  private static List<Contender> contenders() {
    return List.of(
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
            .only(TRACED),
        Contender.of(
                IDLE,
                "waiting processes, looked at each second",
                Flags.library(),
                size -> new WatchedProcesses(size.size()))
            .only(PROCESSES),
        Contender.of(
                PAIRS_ACCOUNTED,
                "pairs of processes with accounts",
                Flags.library(),
                size -> new PairedRun(ObservedPairs.accounted(size.size()), new Pairs(size.size())))
            .only(PAIR_ACCOUNTS),
        Contender.of(
                PAIRS_RECORDED,
                "pairs of processes of which a trace is recorded",
                Flags.library(),
                size -> new PairedRun(ObservedPairs.traced(size.size()), new Pairs(size.size())))
            .only(PAIR_TRACE));
  }

  private static Case pairs(String name) {
    return Case.of(name, "64 pairs", PAIRS, RoundSize.calibrated(64_000, 640), Metric.WALL);
  }
}
