// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.ours.HeddleMemory;
import dev.heddle.bench.ours.process.Memory;
import dev.heddle.bench.peer.FloorMemory;
import dev.heddle.bench.peer.RawMemory;
import dev.heddle.bench.peer.StockMemory;
import dev.heddle.bench.peer.kotlin.KotlinMemory;
import dev.heddle.bench.peer.pekko.PekkoMemory;
import java.util.ArrayList;
import java.util.List;

/// Bytes per parked coroutine.
final class MemoryShape {
  private static final String SHALLOW = "memory";
  private static final String DEEP = "memory-depth-10";
  private static final String DEEPEST = "memory-depth-50";
  private static final String PROCESS = "memory-process";
  private static final String[] PARKED_ROWS = {SHALLOW, DEEP, DEEPEST};
  private static final int PARKED = 200_000;
  private static final int OWN = 250; // bytes
  private static final String FLOOR = "floor";
  private static final String FLOOR_LAUNCHER = "floor-launcher";
  private static final String INTERPRETED = "heddle-interpreted";
  private static final String FLOOR_INTERPRETED = "floor-interpreted";
  private static final String NO_COMPILER = "-Xint";
  private static final Metric LIVE = Metric.count("live-bytes", "B");

  private MemoryShape() {}

  static Shape shape() {
    return new Shape(
        "memory",
        "Heap that is live after full collections, per coroutine of 200,000 parked ones, and per"
            + " process of 200,000 idle ones. Heddle's own share is its figure less the floor's."
            + " The interpreted ones are those of a JVM without a compiler: what parks before its"
            + " code is compiled stays so.",
        List.of(
            Case.of(SHALLOW, "parked below 1 frame", 1, RoundSize.fixed(PARKED, 2_000), LIVE),
            Case.of(DEEP, "parked below 10 frames", 10, RoundSize.fixed(PARKED, 2_000), LIVE),
            Case.of(DEEPEST, "parked below 50 frames", 50, RoundSize.fixed(PARKED, 2_000), LIVE),
            Case.of(PROCESS, "idle processes", 1, RoundSize.fixed(PARKED, 2_000), LIVE)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    bars.add(Bar.atMost(SHALLOW, Contender.HEDDLE, 900, "B"));
    for (String row : PARKED_ROWS) {
      bars.add(Bar.above(row, Contender.HEDDLE, OWN, "B", FLOOR));
      bars.add(Bar.above(row, Contender.HEDDLE_LAUNCHER, OWN, "B", FLOOR_LAUNCHER));
      bars.add(Bar.above(row, INTERPRETED, OWN, "B", FLOOR_INTERPRETED));
    }
    bars.add(Bar.atMost(PROCESS, Contender.HEDDLE, 400, "B"));
    bars.add(Bar.below(PROCESS, Contender.HEDDLE, ActorContenders.PEKKO, ActorContenders.GO));
    return bars;
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines and processes, library flags",
            Flags.library(),
            MemoryShape::ours),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines and processes, the launcher's flags",
            Flags.launcher(),
            MemoryShape::ours),
        Contender.of(
                "raw",
                "jdk.internal.vm.Continuation, the limit",
                Flags.raw(),
                size -> new RawMemory(size.size()))
            .only(PARKED_ROWS),
        Contender.of(
                FLOOR,
                "bare virtual threads on an own executor",
                Flags.library(),
                size -> new FloorMemory(size.size()))
            .only(PARKED_ROWS),
        Contender.of(
                FLOOR_LAUNCHER,
                "the floor with the launcher's flags",
                Flags.launcher(),
                size -> new FloorMemory(size.size()))
            .only(PARKED_ROWS),
        Contender.of(
                INTERPRETED,
                "coroutines, library flags, interpreted",
                Flags.with(Flags.library(), NO_COMPILER),
                MemoryShape::ours)
            .only(PARKED_ROWS),
        Contender.of(
                FLOOR_INTERPRETED,
                "the floor, interpreted",
                Flags.with(Flags.library(), NO_COMPILER),
                size -> new FloorMemory(size.size()))
            .only(PARKED_ROWS),
        Contender.of(
                "stock",
                "stock virtual threads",
                Flags.stock(),
                size -> new StockMemory(size.size()))
            .only(PARKED_ROWS),
        ActorContenders.pekko(Flags.stock(), _ -> new PekkoMemory()).only(PROCESS),
        LoopContenders.coroutines("awaitCancellation", size -> new KotlinMemory(size.size()))
            .only(PARKED_ROWS),
        ActorContenders.goroutines(),
        ActorContenders.erlangProcesses().only(PROCESS),
        LoopContenders.tasks("current-thread runtime; what malloc has given out")
            .only(PARKED_ROWS));
  }

  private static Program ours(Case size) {
    return size.name().equals(PROCESS) ? new Memory() : new HeddleMemory(size.size());
  }
}
