// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSwitch;
import dev.heddle.bench.peer.FloorSwitch;
import dev.heddle.bench.peer.RawSwitch;
import dev.heddle.bench.peer.StockParkSwitch;
import dev.heddle.bench.peer.StockYieldSwitch;
import dev.heddle.bench.peer.kotlin.KotlinSwitch;
import java.util.ArrayList;
import java.util.List;

/// Coroutines that yield to each other.
final class SwitchShape {
  private static final String[] STOCK = {
    "stock-yield-1", "stock-yield", "stock-park-1", "stock-park"
  };

  private SwitchShape() {}

  static Shape shape() {
    return new Shape(
        "switch",
        "Coroutines yield to each other; one operation is one suspension and one resumption.",
        List.of(
            Case.of("switch", "2 coroutines", 2, RoundSize.calibrated(10_000, 1_000), Metric.WALL),
            Case.of(
                "switch-1000",
                "1,000 coroutines",
                1_000,
                RoundSize.calibrated(100_000, 1_000),
                Metric.WALL),
            Case.of(
                "switch-100000",
                "100,000 coroutines",
                100_000,
                RoundSize.calibrated(1_000_000, 1_000),
                Metric.WALL)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String row : List.of("switch", "switch-1000", "switch-100000")) {
      bars.add(Bar.count(row, Contender.HEDDLE, "switches", 1));
      bars.add(Bar.ratio(row, Contender.HEDDLE, 1.15, "floor"));
      bars.add(Bar.ratio(row, Contender.HEDDLE_LAUNCHER, 1.15, "floor-launcher"));
      bars.add(Bar.ahead(row, Contender.HEDDLE, STOCK));
      bars.add(Bar.ahead(row, Contender.HEDDLE_LAUNCHER, STOCK));
    }
    return bars;
  }

  private static List<Contender> contenders() {
    List<Contender> all = new ArrayList<>(jvms());
    all.addAll(LoopContenders.others("yield", size -> new KotlinSwitch(size.size())));
    return all;
  }

  private static List<Contender> jvms() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "coroutines, library flags",
            Flags.library(),
            size -> new HeddleSwitch(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "coroutines, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleSwitch(size.size())),
        Contender.of(
            "raw",
            "jdk.internal.vm.Continuation, the limit",
            Flags.raw(),
            size -> new RawSwitch(size.size())),
        Contender.of(
            "floor",
            "bare virtual threads on an own executor",
            Flags.library(),
            size -> new FloorSwitch(size.size())),
        Contender.of(
            "floor-launcher",
            "the floor with the launcher's flags",
            Flags.launcher(),
            size -> new FloorSwitch(size.size())),
        Contender.of(
            "stock-yield-1",
            "stock Thread.yield on one carrier",
            Flags.stockOneCarrier(),
            size -> new StockYieldSwitch(size.size())),
        Contender.of(
            "stock-yield",
            "stock Thread.yield on the default carriers",
            Flags.stock(),
            size -> new StockYieldSwitch(size.size())),
        Contender.of(
            "stock-park-1",
            "stock park and unpark on one carrier",
            Flags.stockOneCarrier(),
            size -> new StockParkSwitch(size.size())),
        Contender.of(
            "stock-park",
            "stock park and unpark on the default carriers",
            Flags.stock(),
            size -> new StockParkSwitch(size.size())));
  }
}
