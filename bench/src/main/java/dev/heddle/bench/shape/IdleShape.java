// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleIdle;
import dev.heddle.bench.peer.FloorIdle;
import dev.heddle.bench.peer.IdleJvm;
import dev.heddle.bench.peer.StockIdle;
import dev.heddle.bench.peer.kotlin.KotlinIdle;
import java.util.ArrayList;
import java.util.List;

/// Nothing to do.
final class IdleShape {
  private static final int PARKED = 100_000;
  private static final int WATCHED_MILLIS = 10_000;

  private IdleShape() {}

  static Shape shape() {
    return new Shape(
        "idle",
        "100,000 parked for 10 s: CPU in percent of a core, and context switches per second of all"
            + " threads of the process, the JVM's own included.",
        List.of(
            new Case(
                "idle",
                "100,000 parked",
                PARKED,
                RoundSize.idle(WATCHED_MILLIS, 20),
                List.of(
                    new Row("idle", Metric.count("cpu-percent", "% of a core")),
                    new Row("idle-switches", Metric.count("switches-per-second", "switches/s"))))),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.atMost("idle", Contender.HEDDLE, 0.1, "% of a core"),
        Bar.above("idle-switches", Contender.HEDDLE, 5, "switches/s", "floor"),
        Bar.atMost("idle", Contender.HEDDLE_LAUNCHER, 0.1, "% of a core"),
        Bar.above("idle-switches", Contender.HEDDLE_LAUNCHER, 5, "switches/s", "jvm-launcher"));
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(jvms());
    all.addAll(LoopContenders.others("awaitCancellation", size -> new KotlinIdle(size.size())));
    return all;
  }

  private static List<Contender> jvms() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleIdle(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleIdle(size.size())),
        Contender.of("jvm", "a JVM that does nothing", Flags.library(), _ -> new IdleJvm()),
        Contender.of(
            "jvm-launcher",
            "the same with the launcher's flags",
            Flags.launcher(),
            _ -> new IdleJvm()),
        Contender.of(
            "floor",
            "bare virtual threads suspended",
            Flags.library(),
            size -> new FloorIdle(size.size())),
        Contender.of(
            "stock",
            "stock virtual threads parked",
            Flags.stock(),
            size -> new StockIdle(size.size())));
  }
}
