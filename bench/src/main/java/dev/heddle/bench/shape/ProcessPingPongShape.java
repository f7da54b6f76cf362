// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.process.Pairs;
import dev.heddle.bench.peer.pekko.PekkoPairs;
import dev.heddle.bench.peer.thread.ThreadPairs;
import java.util.List;

/// Pairs of processes that send a message to and fro: one pair, and enough for all cores.
final class ProcessPingPongShape {
  private static final String PAIRS = "process-pairs";

  private ProcessPingPongShape() {}

  static Shape one() {
    String name = "process-pingpong";
    ActorContenders contenders = contenders();
    return new Shape(
        name,
        "Two processes send a message to and fro. One operation is one round trip: two messages.",
        List.of(Case.of(name, "one pair", 1, RoundSize.calibrated(20_000, 200), Metric.WALL)),
        contenders.list(),
        contenders.ahead(name));
  }

  static Shape many() {
    int pairs = 64;
    ActorContenders contenders = contenders();
    return new Shape(
        PAIRS,
        "64 pairs of processes on all cores. One operation is one round trip: two messages.",
        List.of(
            new Case(
                PAIRS,
                "64 pairs",
                pairs,
                RoundSize.calibrated(64_000, 640),
                List.of(
                    new Row(PAIRS, Metric.WALL),
                    new Row(
                        PAIRS + "-rate",
                        new Metric("messages/s", s -> 2e9 / s.wallPerOperation(), true))))),
        contenders.list(),
        contenders.ahead(PAIRS));
  }

  private static ActorContenders contenders() {
    return new ActorContenders()
        .ours(size -> new Pairs(size.size()))
        .pekko(size -> new PekkoPairs(size.size()))
        .stock("stock virtual threads, a queue each", size -> new ThreadPairs(size.size()))
        .go()
        .erlang();
  }
}
