// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.process.Spawn;
import dev.heddle.bench.peer.pekko.PekkoSpawn;
import dev.heddle.bench.peer.thread.ThreadSpawn;
import java.util.List;

/// Processes that live for one step.
final class ProcessSpawnShape {
  private static final String NAME = "process-spawn";
  private static final int BATCH = 1_000;

  private ProcessSpawnShape() {}

  static Shape shape() {
    ActorContenders contenders =
        new ActorContenders()
            .ours(size -> new Spawn(size.size()))
            .pekko(size -> new PekkoSpawn(size.size()))
            .stock("stock virtual threads and a queue", size -> new ThreadSpawn(size.size()))
            .go()
            .erlang();
    return new Shape(
        NAME,
        "A process starts 1,000 others; each is made, initialised and stepped once, tells its"
            + " parent, and is closed. One operation is one of them.",
        List.of(
            Case.of(
                NAME, "batches of 1,000", BATCH, RoundSize.calibrated(10_000, 1_000), Metric.WALL)),
        contenders.list(),
        contenders.ahead(NAME));
  }
}
