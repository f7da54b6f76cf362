// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.HeddleOptions;
import dev.heddle.bench.measure.PairedRun;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.ours.HeddleSwitch;
import dev.heddle.bench.ours.HeddleWatched;
import dev.heddle.bench.ours.process.ObservedPairs;
import dev.heddle.bench.ours.process.Pairs;
import dev.heddle.bench.ours.process.WatchedProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// What a loop and a process runtime pay while `heddle top` looks at them, or a trace is recorded.
///
/// The page of attempts has the figures, and which bars are missed.
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
  private static final int JVMS = 5;
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
            + " accounts and recorded. What takes turns does so in five JVMs, whose median is"
            + " judged: the two share code, and a JVM compiles it for both, now in favour of the"
            + " one and now of the other. A median below 0.90 is invalid. The aim of a recording is"
            + " 1.15 of a switch; the bar on processes is one more.",
        cases(),
        contenders(),
        List.of(
            Bar.atMost(ROW, Contender.HEDDLE, MOST_MILLIS, "ms of the loop a second"),
            Bar.inTurns(SWITCH, inJvms(SWITCHING), 1.10, BARE),
            Bar.inTurns(ACCOUNTS, inJvms(ACCOUNTED), 1.10, BARE),
            Bar.inTurns(TRACED, inJvms(RECORDED), 1.15, BARE),
            Bar.atMost(PROCESSES, IDLE, MOST_MILLIS, "ms of the observer a second"),
            Bar.inTurns(PAIR_ACCOUNTS, inJvms(PAIRS_ACCOUNTED), 1.10, PLAIN_PAIRS),
            Bar.inTurns(PAIR_TRACE, inJvms(PAIRS_RECORDED), 1.15, PLAIN_PAIRS)));
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
    List<Contender> all = new ArrayList<>();
    all.add(
        Contender.of(
                Contender.HEDDLE,
                "waiting coroutines, looked at each second",
                Flags.library(),
                size -> new HeddleWatched(size.size()))
            .only(ROW));
    all.addAll(
        switching(
            SWITCH,
            SWITCHING,
            "switching coroutines, looked at ten times a second",
            HeddleSwitch::watched));
    all.addAll(
        switching(
            ACCOUNTS, ACCOUNTED, "switching coroutines with accounts", HeddleSwitch::accounted));
    all.addAll(
        switching(
            TRACED,
            RECORDED,
            "switching coroutines of which a trace is recorded",
            HeddleSwitch::traced));
    all.add(
        Contender.of(
                IDLE,
                "waiting processes, looked at each second",
                Flags.library(),
                size -> new WatchedProcesses(size.size()))
            .only(PROCESSES));
    all.addAll(
        inTurns(
            PAIR_ACCOUNTS,
            PAIRS_ACCOUNTED,
            "pairs of processes with accounts",
            size -> new PairedRun(ObservedPairs.accounted(size.size()), new Pairs(size.size()))));
    all.addAll(
        inTurns(
            PAIR_TRACE,
            PAIRS_RECORDED,
            "pairs of processes of which a trace is recorded",
            size -> new PairedRun(ObservedPairs.traced(size.size()), new Pairs(size.size()))));
    return all;
  }

  private static List<Contender> switching(
      String row, String name, String what, IntFunction<Program> subject) {
    return inTurns(
        row,
        name,
        what,
        size ->
            new PairedRun(
                subject.apply(size.size()),
                new HeddleSwitch(size.size(), HeddleOptions.defaults(), false)));
  }

  /// The same program in each of the JVMs.
  private static List<Contender> inTurns(
      String row, String name, String what, Workload.Programs program) {
    return inJvms(name).stream()
        .map(one -> Contender.of(one, what, Flags.library(), program).only(row))
        .toList();
  }

  private static List<String> inJvms(String name) {
    return IntStream.rangeClosed(1, JVMS)
        .mapToObj(number -> number == 1 ? name : name + "-" + number)
        .toList();
  }

  private static Case pairs(String name) {
    return Case.of(name, "64 pairs", PAIRS, RoundSize.calibrated(64_000, 640), Metric.WALL);
  }
}
