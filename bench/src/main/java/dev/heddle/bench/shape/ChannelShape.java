// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleChannel;
import dev.heddle.bench.peer.StockChannel;
import java.util.ArrayList;
import java.util.List;

final class ChannelShape {
  private static final String STOCK = "stock";
  private static final String STOCK_ONE = "stock-1";

  private ChannelShape() {}

  static Shape shape() {
    return new Shape(
        "channel",
        "One coroutine sends, another receives; one operation is one item received.",
        List.of(
            Case.of("channel-0", "capacity 0", 0, RoundSize.calibrated(10_000, 1_000), Metric.WALL),
            Case.of("channel-1", "capacity 1", 1, RoundSize.calibrated(10_000, 1_000), Metric.WALL),
            Case.of(
                "channel-64", "capacity 64", 64, RoundSize.calibrated(10_000, 1_000), Metric.WALL)),
        contenders(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String row : List.of("channel-0", "channel-1", "channel-64")) {
      bars.add(Bar.ahead(row, Contender.HEDDLE, STOCK, STOCK_ONE, ActorContenders.GO));
    }
    return bars;
  }

  private static List<Contender> contenders() {
    return List.of(
        Contender.of(
            Contender.HEDDLE,
            "a Channel between coroutines, library flags",
            Flags.library(),
            size -> new HeddleChannel(size.size())),
        Contender.of(
            Contender.HEDDLE_LAUNCHER,
            "the same, the launcher's flags",
            Flags.launcher(),
            size -> new HeddleChannel(size.size())),
        Contender.of(
            STOCK,
            "ArrayBlockingQueue (SynchronousQueue for 0) between stock virtual threads",
            Flags.stock(),
            size -> new StockChannel(size.size())),
        Contender.of(
            STOCK_ONE,
            "the same, one carrier",
            Flags.stockOneCarrier(),
            size -> new StockChannel(size.size())),
        ActorContenders.goroutines());
  }
}
