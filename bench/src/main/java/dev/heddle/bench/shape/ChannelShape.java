// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleChannel;
import dev.heddle.bench.peer.StockChannel;
import dev.heddle.bench.peer.kotlin.KotlinChannel;
import java.util.ArrayList;
import java.util.List;

/// Items from one coroutine to another.
final class ChannelShape {
  private static final String ZERO = "channel-0";
  private static final String ONE = "channel-1";
  private static final String MANY = "channel-64";

  private ChannelShape() {}

  static Shape shape() {
    return new Shape(
        "channel",
        "One coroutine sends, another receives; one operation is one item received.",
        List.of(
            Case.of(ZERO, "capacity 0", 0, RoundSize.calibrated(10_000, 1_000), Metric.WALL),
            Case.of(ONE, "capacity 1", 1, RoundSize.calibrated(10_000, 1_000), Metric.WALL),
            Case.of(MANY, "capacity 64", 64, RoundSize.calibrated(10_000, 1_000), Metric.WALL)),
        new LoopContenders()
            .ours("a Channel between coroutines", size -> new HeddleChannel(size.size()))
            .stock(
                "ArrayBlockingQueue (SynchronousQueue for 0) between stock virtual threads",
                size -> new StockChannel(size.size()))
            .kotlin("a Channel", size -> new KotlinChannel(size.size()))
            .go()
            .tokio(ONE, MANY) // its channels hold one item at least
            .list(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String row : List.of(ZERO, ONE)) {
      bars.addAll(
          LoopContenders.ahead(
              row, LoopContenders.STOCK, LoopContenders.STOCK_ONE, LoopContenders.GO));
    }
    bars.addAll(
        LoopContenders.ahead(
            MANY,
            LoopContenders.STOCK,
            LoopContenders.STOCK_ONE,
            LoopContenders.KOTLIN,
            LoopContenders.GO,
            LoopContenders.TOKIO));
    return bars;
  }
}
