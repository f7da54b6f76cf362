// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSpawnOne;
import dev.heddle.bench.peer.FloorSpawnOne;
import dev.heddle.bench.peer.FloorSwitch;
import dev.heddle.bench.peer.RawSpawn;
import dev.heddle.bench.peer.StockSpawnOne;
import dev.heddle.bench.peer.kotlin.KotlinSpawn;
import java.util.ArrayList;
import java.util.List;

/// One coroutine spawned and awaited, again and again.
final class SpawnOneShape {
  private SpawnOneShape() {}

  static Shape shape() {
    return new Shape(
        "spawn-one",
        "One coroutine is spawned and awaited, again and again. One operation is one coroutine; the"
            + " rows floor-switch show what one bare switch costs in the same run.",
        List.of(
            Case.of(
                "spawn-one", "one at a time", 1, RoundSize.calibrated(10_000, 1_000), Metric.WALL)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("spawn-one", Contender.HEDDLE, 1.2, "floor"),
        Bar.ratio("spawn-one", Contender.HEDDLE_LAUNCHER, 1.2, "floor-launcher"),
        Bar.ahead("spawn-one", Contender.HEDDLE, LoopContenders.STOCK_ONE, LoopContenders.GO),
        Bar.ahead(
            "spawn-one", Contender.HEDDLE_LAUNCHER, LoopContenders.STOCK_ONE, LoopContenders.GO));
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(jvms());
    all.addAll(LoopContenders.others("launch and join", _ -> new KotlinSpawn(1)));
    return all;
  }

  private static List<Contender> jvms() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            _ -> new HeddleSpawnOne()),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            _ -> new HeddleSpawnOne()),
        Contender.of(
            "raw",
            "jdk.internal.vm.Continuation made and run, the limit",
            Flags.raw(),
            _ -> new RawSpawn()),
        Contender.of(
            "floor",
            "a bare virtual thread makes one and suspends until it has ended",
            Flags.library(),
            _ -> new FloorSpawnOne()),
        Contender.of(
            "floor-launcher",
            "the same with the launcher's flags",
            Flags.launcher(),
            _ -> new FloorSpawnOne()),
        Contender.of(
            "floor-switch",
            "one switch between two bare virtual threads",
            Flags.library(),
            _ -> new FloorSwitch(2)),
        Contender.of(
            "floor-switch-launcher",
            "the same with the launcher's flags",
            Flags.launcher(),
            _ -> new FloorSwitch(2)),
        Contender.of(
            LoopContenders.STOCK_ONE,
            "stock virtual thread started and joined, one carrier",
            Flags.stockOneCarrier(),
            _ -> new StockSpawnOne()),
        Contender.of(
            "stock",
            "stock virtual thread started and joined, default carriers",
            Flags.stock(),
            _ -> new StockSpawnOne()));
  }
}
