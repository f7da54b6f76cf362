// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.node.SimulatedNode.History;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What sessions promise, in 10,000 clusters whose network and nodes fail; and what processes are
/// promised, in 5,000, each of which takes twice as long. A failure names its seed;
/// `-Dheddle.cluster.seed=N` runs that one alone, `-Dheddle.cluster.seeds=N` that many.
final class ClusterSimulationTest {
  private static final int SEEDS = Integer.getInteger("heddle.cluster.seeds", 10_000);

  @Test
  @Tag("proc-194")
  @Tag("proc-196")
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  void sessions_inFailingClusters_deliverEachMessageOnceInOrderOrEnd() {
    LongAdder messages = new LongAdder();
    seeds(SEEDS).forEach(seed -> messages.add(run(seed, new ClusterSimulation(seed)).messages));
    assertThat(messages.sum()).as("messages sent").isPositive();
  }

  @Test
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  @Tag("C4")
  @Tag("C5")
  @Tag("C7")
  @Tag("C9")
  @Tag("C10")
  void processes_inFailingClusters_areToldOfEachEndOnce_andLoseNothingUntold() {
    LongAdder downs = new LongAdder();
    LongAdder answers = new LongAdder();
    LongAdder children = new LongAdder();
    seeds(SEEDS / 2)
        .forEach(seed -> {
          ProcessSimulation simulation = new ProcessSimulation(seed);
          History _ = run(seed, simulation);
          downs.add(simulation.fired);
          answers.add(simulation.answered());
          children.add(simulation.children);
        });
    assertThat(downs.sum()).as("monitors fired").isPositive();
    assertThat(answers.sum()).as("requests ended").isPositive();
    assertThat(children.sum()).as("children seen").isPositive();
  }

  private static LongStream seeds(int count) {
    Long one = Long.getLong("heddle.cluster.seed");
    return one == null ? LongStream.range(0, count).parallel() : LongStream.of(one);
  }

  private static History run(long seed, ClusterSimulation simulation) {
    try {
      simulation.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
    return simulation.history;
  }
}
