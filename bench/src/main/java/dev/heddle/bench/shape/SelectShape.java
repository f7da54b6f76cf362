// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.ours.HeddleSelect;
import dev.heddle.bench.peer.kotlin.KotlinSelect;
import java.util.List;

/// Items from two channels, by a select. The JDK's queues have none.
final class SelectShape {
  private SelectShape() {}

  static Shape shape() {
    return new Shape(
        "select",
        "Two coroutines send, each into a channel of its own; a third one receives from either by a"
            + " fair select. One operation is one item received. No bar is set.",
        List.of(sized(0), sized(1), sized(64)),
        new LoopContenders()
            .ours("a Select over two Channels", size -> new HeddleSelect(size.size()))
            .kotlin("selectUnbiased over two Channels", size -> new KotlinSelect(size.size()))
            .go()
            .tokio(name(1), name(64)) // its channels hold one item at least
            .list(),
        List.of());
  }

  private static Case sized(int capacity) {
    return Case.of(
        name(capacity),
        "capacity " + capacity,
        capacity,
        RoundSize.calibrated(10_000, 1_000),
        Metric.WALL);
  }

  private static String name(int capacity) {
    return "select-" + capacity;
  }
}
