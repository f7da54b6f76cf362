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
import java.util.List;

/// Bytes per parked coroutine.
final class MemoryShape {
  private static final String SHALLOW = "memory";
  private static final String DEEP = "memory-depth-10";
  private static final String PROCESS = "memory-process";
  private static final int PARKED = 200_000;
  private static final Metric LIVE = Metric.count("live-bytes", "B");

  private MemoryShape() {}

  static Shape shape() {
    return new Shape(
        "memory",
        "Heap that is live after full collections, per coroutine of 200,000 parked ones, and per"
            + " process of 200,000 idle ones. Heddle's own share is its figure less the floor's.",
        List.of(
            Case.of(SHALLOW, "parked below 1 frame", 1, RoundSize.fixed(PARKED, 2_000), LIVE),
            Case.of(DEEP, "parked below 10 frames", 10, RoundSize.fixed(PARKED, 2_000), LIVE),
            Case.of(PROCESS, "idle processes", 1, RoundSize.fixed(PARKED, 2_000), LIVE)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.atMost("memory", Contender.HEDDLE, 900, "B"),
        Bar.above("memory", Contender.HEDDLE, 250, "B", "floor"),
        Bar.above("memory-depth-10", Contender.HEDDLE, 250, "B", "floor"),
        Bar.above("memory", Contender.HEDDLE_LAUNCHER, 250, "B", "floor-launcher"),
        Bar.above("memory-depth-10", Contender.HEDDLE_LAUNCHER, 250, "B", "floor-launcher"),
        Bar.atMost(PROCESS, Contender.HEDDLE, 400, "B"),
        Bar.below(PROCESS, Contender.HEDDLE, ActorContenders.PEKKO, ActorContenders.GO));
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
            .only(SHALLOW, DEEP),
        Contender.of(
                "floor",
                "bare virtual threads on an own executor",
                Flags.library(),
                size -> new FloorMemory(size.size()))
            .only(SHALLOW, DEEP),
        Contender.of(
                "floor-launcher",
                "the floor with the launcher's flags",
                Flags.launcher(),
                size -> new FloorMemory(size.size()))
            .only(SHALLOW, DEEP),
        Contender.of(
                "stock",
                "stock virtual threads",
                Flags.stock(),
                size -> new StockMemory(size.size()))
            .only(SHALLOW, DEEP),
        ActorContenders.pekko(Flags.stock(), _ -> new PekkoMemory()).only(PROCESS),
        LoopContenders.coroutines("awaitCancellation", size -> new KotlinMemory(size.size()))
            .only(SHALLOW, DEEP),
        ActorContenders.goroutines(),
        LoopContenders.tasks("current-thread runtime; what malloc has given out")
            .only(SHALLOW, DEEP));
  }

  private static Program ours(Case size) {
    return size.name().equals(PROCESS) ? new Memory() : new HeddleMemory(size.size());
  }
}
