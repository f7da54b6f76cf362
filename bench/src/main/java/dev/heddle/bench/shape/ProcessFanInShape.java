// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.process.FanIn;
import dev.heddle.bench.peer.pekko.PekkoFanIn;
import dev.heddle.bench.peer.thread.ThreadFanIn;
import java.util.List;

/// Many that send to one.
final class ProcessFanInShape {
  private static final String NAME = "process-fanin";
  private static final int SENDERS = 8;
  private static final int BURST = 100_000;

  private ProcessFanInShape() {}

  static Shape shape() {
    ActorContenders contenders =
        new ActorContenders()
            .ours(size -> new FanIn(SENDERS, size.size()))
            .pekko(size -> new PekkoFanIn(SENDERS, size.size()))
            .stock(
                "stock virtual threads, a bounded queue",
                size -> new ThreadFanIn(SENDERS, size.size()))
            .go()
            .erlang();
    return new Shape(
        NAME,
        "8 processes send 100,000 messages each to one, and again when it has seen them all. One"
            + " operation is one message.",
        List.of(
            Case.of(
                NAME,
                "8 x 100,000",
                BURST,
                RoundSize.calibrated(SENDERS * BURST, SENDERS * 100),
                Metric.WALL)),
        contenders.list(),
        contenders.ahead(NAME));
  }
}
