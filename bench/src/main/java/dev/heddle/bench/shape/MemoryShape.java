// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleMemory;
import dev.heddle.bench.peer.FloorMemory;
import dev.heddle.bench.peer.RawMemory;
import dev.heddle.bench.peer.StockMemory;
import java.util.List;

/// Bytes per parked coroutine.
final class MemoryShape {
  private static final int PARKED = 200_000;
  private static final Metric LIVE = Metric.count("live-bytes", "B");

  private MemoryShape() {}

  static Shape shape() {
    return new Shape(
        "memory",
        "Heap that is live after full collections, per coroutine of 200,000 parked ones. Heddle's"
            + " own share is its figure less the floor's.",
        List.of(
            Case.of("memory", "parked below 1 frame", 1, Pace.fixed(PARKED, 2_000), LIVE),
            Case.of(
                "memory-depth-10", "parked below 10 frames", 10, Pace.fixed(PARKED, 2_000), LIVE)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.atMost("memory", Contender.HEDDLE, 900, "B"),
        Bar.above("memory", Contender.HEDDLE, 250, "B", "floor"),
        Bar.above("memory-depth-10", Contender.HEDDLE, 250, "B", "floor"),
        Bar.above("memory", Contender.HEDDLE_LAUNCHER, 250, "B", "floor-launcher"),
        Bar.above("memory-depth-10", Contender.HEDDLE_LAUNCHER, 250, "B", "floor-launcher"));
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleMemory(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleMemory(size.size())),
        Contender.of(
            "raw",
            "jdk.internal.vm.Continuation, the limit",
            Flags.raw(),
            size -> new RawMemory(size.size())),
        Contender.of(
            "floor",
            "bare virtual threads on an own executor",
            Flags.library(),
            size -> new FloorMemory(size.size())),
        Contender.of(
            "floor-launcher",
            "the floor with the launcher's flags",
            Flags.launcher(),
            size -> new FloorMemory(size.size())),
        Contender.of(
            "stock", "stock virtual threads", Flags.stock(), size -> new StockMemory(size.size())));
  }
}
