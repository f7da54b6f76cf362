// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleThreadChannel;
import dev.heddle.bench.peer.StockThreadQueue;
import dev.heddle.bench.peer.ThreadTransfer.Way;
import java.util.ArrayList;
import java.util.List;

/// Items from one thread or loop to another.
final class ThreadChannelShape {
  private static final List<Way> WAYS = List.of(Way.values()); // a case carries its index
  private static final String THREADS = "thread-channel";
  private static final String INTO = "thread-channel-into-loop";
  private static final String BETWEEN = "thread-channel-between-loops";
  private static final String LINKED = "linked";

  private ThreadChannelShape() {}

  static Shape shape() {
    return new Shape(
        "thread-channel",
        "One thread sends, another receives, by a queue of 64; and a thread sends to a coroutine,"
            + " and a coroutine to one of another loop. One operation is one item received.",
        List.of(
            sized(THREADS, "thread to thread", Way.THREADS),
            sized(INTO, "thread to coroutine", Way.INTO),
            sized(BETWEEN, "loop to loop", Way.BETWEEN)),
        new LoopContenders()
            .ours("a ThreadChannel", size -> new HeddleThreadChannel(way(size)))
            .and(
                Contender.of(
                    LINKED,
                    "LinkedBlockingQueue, between platform or stock virtual threads",
                    Flags.stock(),
                    size -> StockThreadQueue.linked(way(size))))
            .and(
                Contender.of(
                    "array",
                    "ArrayBlockingQueue, the same",
                    Flags.stock(),
                    size -> StockThreadQueue.array(way(size))))
            .go(BETWEEN)
            .list(),
        bars());
  }

  private static List<Bar> bars() {
    List<Bar> bars = new ArrayList<>();
    for (String subject : List.of(Contender.HEDDLE, Contender.HEDDLE_LAUNCHER)) {
      bars.add(Bar.below(THREADS, subject, LINKED));
      bars.add(Bar.ahead(THREADS, subject, LINKED));
    }
    return bars;
  }

  private static Case sized(String name, String what, Way way) {
    return Case.of(name, what, WAYS.indexOf(way), RoundSize.calibrated(10_000, 1_000), Metric.WALL);
  }

  private static Way way(Case size) {
    return WAYS.get(size.size());
  }
}
