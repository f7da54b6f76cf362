// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSpawnBatch;
import dev.heddle.bench.peer.FloorSpawn;
import dev.heddle.bench.peer.RawSpawn;
import dev.heddle.bench.peer.StockSpawnBatch;
import dev.heddle.bench.peer.kotlin.KotlinSpawn;
import java.util.ArrayList;
import java.util.List;

/// Coroutines spawned in batches of 1,000.
final class SpawnBatchShape {
  private static final int BATCH = 1_000;

  private SpawnBatchShape() {}

  static Shape shape() {
    return new Shape(
        "spawn-batch",
        "1,000 coroutines spawned, run, finished and awaited by their scope; the body does not"
            + " suspend. One operation is one coroutine.",
        List.of(
            Case.of(
                "spawn-batch",
                "batches of 1,000",
                BATCH,
                RoundSize.calibrated(10_000, 1_000),
                Metric.WALL)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    return List.of(
        Bar.ratio("spawn-batch", Contender.HEDDLE, 3, "raw"),
        Bar.ratio("spawn-batch", Contender.HEDDLE_LAUNCHER, 3, "raw"),
        Bar.ahead("spawn-batch", Contender.HEDDLE, LoopContenders.TOKIO, LoopContenders.GO));
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(jvms());
    all.addAll(
        LoopContenders.others("launch and coroutineScope", size -> new KotlinSpawn(size.size())));
    return all;
  }

  private static List<Contender> jvms() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleSpawnBatch(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleSpawnBatch(size.size())),
        Contender.of(
            "raw",
            "jdk.internal.vm.Continuation made and run, the limit",
            Flags.raw(),
            _ -> new RawSpawn()),
        Contender.of(
            "floor",
            "bare virtual threads on an own executor, made and run",
            Flags.library(),
            _ -> new FloorSpawn()),
        Contender.of(
            "stock-1",
            "stock virtual threads and a latch, one carrier",
            Flags.stockOneCarrier(),
            size -> new StockSpawnBatch(size.size())),
        Contender.of(
            "stock",
            "stock virtual threads and a latch, default carriers",
            Flags.stock(),
            size -> new StockSpawnBatch(size.size())));
  }
}
