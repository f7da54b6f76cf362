// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What sessions promise, in 10,000 clusters whose network and nodes fail. A failure names its
/// seed; `-Dheddle.cluster.seed=N` runs that one alone, `-Dheddle.cluster.seeds=N` that many.
final class ClusterSimulationTest {
  private static final int SEEDS = Integer.getInteger("heddle.cluster.seeds", 10_000);

  @Test
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  void sessions_inFailingClusters_deliverEachMessageOnceInOrderOrEnd() {
    Long one = Long.getLong("heddle.cluster.seed");
    LongStream seeds =
        one == null ? LongStream.range(0, SEEDS).parallel() : LongStream.of(one);
    LongAdder messages = new LongAdder();
    seeds.forEach(seed -> messages.add(messagesOf(seed)));
    assertThat(messages.sum()).as("messages sent").isPositive();
  }

  private static long messagesOf(long seed) {
    ClusterSimulation simulation = new ClusterSimulation(seed);
    try {
      simulation.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
    return simulation.history.messages;
  }
}
