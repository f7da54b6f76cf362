// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Latencies;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.ours.HeddleDelays;
import dev.heddle.bench.ours.HeddleFire;
import dev.heddle.bench.ours.HeddleTimers;
import dev.heddle.bench.peer.AgronaFire;
import dev.heddle.bench.peer.AgronaTimers;
import dev.heddle.bench.peer.NettyFire;
import dev.heddle.bench.peer.NettyTimers;
import dev.heddle.bench.peer.PoolFire;
import dev.heddle.bench.peer.PoolTimers;
import dev.heddle.bench.peer.StockSleeps;
import dev.heddle.bench.peer.kotlin.KotlinTimers;
import java.util.ArrayList;
import java.util.List;

/// Timers, a million of them.
///
/// Replacing the oldest misses its bar: ahead of all others. Netty's wheel of 100 ms and Tokio's of
/// 1 ms take less. The page of performance has the figures.
final class TimersShape {
  static final String ARM_CANCEL = "timers";
  static final String REPLACE = "timers-replace";
  static final String FIRE = "timers-fire";

  private static final String LATE = "timers-late";
  private static final String LATE_HALF = LATE + "-p50";
  private static final String LATE_P99 = LATE + "-p99";

  private static final int MILLION = 1_000_000;
  private static final int SOME = 300_000; // Netty's thread works off 100,000 a tick

  private static final int BEARABLE = 100_000; // with a million some are late for lack of CPU

  private static final String COARSE = "netty-wheel-100ms";
  private static final String[] OF_A_MILLISECOND = {
    "pool", "netty-wheel", "agrona-wheel", LoopContenders.GO, LoopContenders.TOKIO
  };
  private static final String[] WHEELS = {"netty-wheel", COARSE, "agrona-wheel"};
  private static final String[] PEERS = {
    "pool", "netty-wheel", COARSE, "agrona-wheel", LoopContenders.GO, LoopContenders.TOKIO
  };

  // of which each timer has one
  private static final String[] TASKS = {
    "stock", "stock-1", LoopContenders.KOTLIN, LoopContenders.GO, LoopContenders.TOKIO
  };

  private TimersShape() {}

  static Shape shape() {
    return new Shape(
        "timers",
        "With 1 million timers outstanding: arm one and cancel it; cancel the oldest and arm a new"
            + " one; CPU until a wheel's thread has worked that off, too. And: arm 1 million that"
            + " fire after 500 to 1,000 ms, CPU per timer until the last fired, and the seconds"
            + " that took. And: how late 100,000 of these are, from the deadline to the moment at"
            + " which their code runs.",
        List.of(
            Case.of(
                ARM_CANCEL,
                "arm and cancel, 1 million outstanding",
                MILLION,
                RoundSize.fixed(SOME, 1_000),
                Metric.WALL),
            Case.of(
                REPLACE,
                "cancel the oldest, arm another, 1 million outstanding",
                MILLION,
                RoundSize.fixed(SOME, 1_000),
                Metric.WALL),
            new Case(
                FIRE,
                "arm 1 million and let them fire",
                MILLION,
                RoundSize.fixed(MILLION, 1_000),
                List.of(
                    new Row(FIRE, Metric.CPU), new Row("timers-fire-all", Metric.ROUND_SECONDS))),
            new Case(
                LATE,
                "arm 100,000 and let them fire: how late each is",
                BEARABLE,
                RoundSize.fixed(BEARABLE, 1_000),
                List.of(
                    new Row(LATE_HALF, Metric.count(Latencies.MEDIAN, "us")),
                    new Row(LATE_P99, Metric.count(Latencies.P99, "us"))))),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
      bars.add(Bar.ahead(ARM_CANCEL, subject, PEERS));
      bars.add(Bar.ahead(REPLACE, subject, PEERS));
      bars.add(Bar.ahead(FIRE, subject, OF_A_MILLISECOND));
      bars.add(Bar.ratio(FIRE, subject, 1.5, COARSE));
      bars.add(Bar.below(LATE_HALF, subject, WHEELS));
      bars.add(Bar.below(LATE_P99, subject, WHEELS));
    }
    bars.add(Bar.ahead(FIRE, Contender.HEDDLE_DELAY, TASKS));
    return bars;
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(ours());
    all.addAll(sleeping());
    all.addAll(wheels());
    all.addAll(LoopContenders.others("delay", TimersShape::kotlin));
    return all;
  }

  private static List<Contender> ours() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "a callback inside the loop, no public API, library flags",
            Flags.library(),
            TimersShape::heddle),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "the same, the launcher's flags",
            Flags.launcher(),
            TimersShape::heddle),
        Contender.of(
                Contender.HEDDLE_DELAY,
                "a coroutine for each timer that delays, library flags",
                Flags.library(),
                size -> new HeddleDelays(isLate(size)))
            .only(FIRE, LATE));
  }

  private static List<Contender> sleeping() {
    return new LoopContenders()
            .stock(
                "a virtual thread for each timer that sleeps",
                size -> new StockSleeps(isLate(size)))
            .list()
            .stream()
            .map(contender -> contender.only(FIRE, LATE))
            .toList();
  }

  private static List<Contender> wheels() {
    return List.of(
        Contender.of(
            "pool",
            "ScheduledThreadPoolExecutor, 1 thread, removing what is cancelled",
            Flags.stock(),
            TimersShape::pool),
        Contender.of(
                "netty-wheel",
                "Netty's HashedWheelTimer, 1 ms, 65,536 slots",
                Flags.stock(),
                size -> netty(size, true))
            .needing("io.netty.util.HashedWheelTimer"),
        Contender.of(
                COARSE,
                "Netty's HashedWheelTimer as it comes: 100 ms, 512 slots",
                Flags.stock(),
                size -> netty(size, false))
            .needing("io.netty.util.HashedWheelTimer"),
        Contender.of(
                "agrona-wheel",
                "Agrona's DeadlineTimerWheel, sized for the load, polled",
                Flags.stock(),
                size -> agrona(size, false))
            .needing("org.agrona.DeadlineTimerWheel"),
        Contender.of(
                "agrona-wheel-fine",
                "the same, polled as often as a thread can sleep",
                Flags.stock(),
                size -> agrona(size, true))
            .needing("org.agrona.DeadlineTimerWheel"));
  }

  private static boolean fires(Case size) {
    return size.name().equals(FIRE) || isLate(size);
  }

  private static boolean isLate(Case size) {
    return size.name().equals(LATE);
  }

  private static Program heddle(Case size) throws Exception {
    return fires(size)
        ? new HeddleFire(isLate(size))
        : new HeddleTimers(size.size(), size.name().equals(REPLACE));
  }

  private static Program pool(Case size) {
    return fires(size)
        ? new PoolFire(isLate(size))
        : new PoolTimers(size.size(), size.name().equals(REPLACE));
  }

  private static Program netty(Case size, boolean fine) {
    var wheel = fine ? NettyTimers.fine() : NettyTimers.coarse();
    return fires(size)
        ? new NettyFire(wheel, isLate(size))
        : new NettyTimers(wheel, size.size(), size.name().equals(REPLACE));
  }

  private static Program kotlin(Case size) {
    return new KotlinTimers(
        size.size(),
        switch (size.name()) {
          case FIRE -> KotlinTimers.Work.FIRE;
          case LATE -> KotlinTimers.Work.LATE;
          case REPLACE -> KotlinTimers.Work.REPLACE;
          default -> KotlinTimers.Work.ARM_AND_CANCEL;
        });
  }

  private static Program agrona(Case size, boolean fine) {
    return fires(size)
        ? new AgronaFire(fine, isLate(size))
        : new AgronaTimers(size.size(), size.name().equals(REPLACE));
  }
}
