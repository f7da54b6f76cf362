// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.process.Skynet;
import dev.heddle.bench.peer.kotlin.KotlinSkynet;
import dev.heddle.bench.peer.pekko.PekkoSkynet;
import dev.heddle.bench.peer.thread.ThreadSkynet;
import java.util.List;

/// A tree of many processes.
final class SkynetShape {
  private static final String NAME = "skynet";
  private static final int LEAVES = 1_000_000;

  private SkynetShape() {}

  static Shape shape() {
    ActorContenders contenders =
        new ActorContenders()
            .ours(_ -> new Skynet())
            .pekko(_ -> new PekkoSkynet())
            .stock("stock virtual threads and futures", _ -> new ThreadSkynet())
            .go()
            .erlang()
            .and(
                Contender.of(
                    LoopContenders.KOTLIN,
                    "Kotlin: async and await on Dispatchers.Default",
                    Flags.stock(),
                    _ -> new KotlinSkynet()))
            .and(LoopContenders.tasks("multi-thread runtime"));
    return new Shape(
        NAME,
        "Each process starts ten others, down to a million leaves, whose numbers are added up on"
            + " the way back. One operation is one leaf: 1.1 processes.",
        List.of(
            Case.of(NAME, "1,000,000 leaves", LEAVES, RoundSize.fixed(LEAVES, 100), Metric.WALL)),
        contenders.list(),
        contenders.ahead(NAME));
  }
}
