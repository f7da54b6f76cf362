// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.process.Ring;
import dev.heddle.bench.peer.pekko.PekkoRing;
import dev.heddle.bench.peer.thread.ThreadRing;
import java.util.List;

/// One message that goes round.
final class ProcessRingShape {
  private static final String NAME = "process-ring";
  private static final int MEMBERS = 1_000;

  private ProcessRingShape() {}

  static Shape shape() {
    ActorContenders contenders =
        new ActorContenders()
            .ours(size -> new Ring(size.size()))
            .pekko(size -> new PekkoRing(size.size()))
            .stock("stock virtual threads, a queue each", size -> new ThreadRing(size.size()))
            .go()
            .erlang();
    return new Shape(
        NAME,
        "A message goes round a ring of 1,000 processes. One operation is one hop.",
        List.of(
            Case.of(
                NAME, "1,000 in a ring", MEMBERS, RoundSize.calibrated(20_000, 200), Metric.WALL)),
        contenders.list(),
        contenders.ahead(NAME));
  }
}
