// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleAwait;
import dev.heddle.bench.peer.StockAwait;
import dev.heddle.bench.peer.kotlin.KotlinAwait;
import java.util.List;

/// Values of coroutines that are spawned for them.
///
/// The bars ask to be ahead of all others, and both are missed. Kotlin's coroutines and Tokio's
/// tasks have no stacks to switch: they take less than half of our time for one. The page of
/// performance has the figures.
final class AwaitShape {
  private AwaitShape() {}

  static Shape one() {
    return shape(
        "await-one",
        1,
        "A coroutine that returns a value is spawned and awaited, again and again. One operation is"
            + " one of them.");
  }

  static Shape two() {
    return shape(
        "await-two",
        2,
        "Two coroutines that return a value are spawned, and then both are awaited, again and"
            + " again. One operation is two of them.");
  }

  private static Shape shape(String name, int together, String what) {
    return new Shape(
        name,
        what,
        List.of(
            Case.of(
                name,
                together + " at a time",
                together,
                RoundSize.calibrated(10_000, 1_000),
                Metric.WALL)),
        new LoopContenders()
            .ours("coroutines", size -> new HeddleAwait(size.size()))
            .stock("stock virtual threads, joined", size -> new StockAwait(size.size()))
            .kotlin("async and await", size -> new KotlinAwait(size.size()))
            .go()
            .tokio()
            .list(),
        LoopContenders.ahead(
            name,
            LoopContenders.STOCK,
            LoopContenders.STOCK_ONE,
            LoopContenders.KOTLIN,
            LoopContenders.GO,
            LoopContenders.TOKIO));
  }
}
