// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.SimulationSeeds;
import dev.heddle.cluster.node.SimulatedNode.History;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What sessions promise, in 5,000 clusters whose network and nodes fail; and what sessions and
/// processes are promised, in 5,000 others. So C1 to C3 hold in 10,000. The full run has 10,000 of
/// each kind, others each time. A failure names its seed; `-Dheddle.cluster.seed=N` runs that one
/// alone, `-Dheddle.cluster.seeds=N` that many of each kind.
final class ClusterSimulationTest {
  private static final int USUAL = Integer.getInteger("heddle.cluster.seeds", 5_000);
  private static final int ALL = 10_000;

  @Test
  @Tag("proc-194")
  @Tag("proc-196")
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  void sessions_inFailingClusters_deliverEachMessageOnceInOrderOrEnd() {
    runSessions(seeds(USUAL, 2 * USUAL)); // other clusters than those of processes
  }

  @Test
  @Tag("full")
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  void sessions_in10000FailingClusters_deliverEachMessageOnceInOrderOrEnd() {
    int first = SimulationSeeds.somewhere(ALL);
    runSessions(seeds(first, first + ALL));
  }

  private static void runSessions(LongStream seeds) {
    LongAdder messages = new LongAdder();
    seeds.forEach(seed -> messages.add(run(seed, new ClusterSimulation(seed)).messages));
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
    runProcesses(seeds(0, USUAL));
  }

  @Test
  @Tag("full")
  @Tag("C4")
  @Tag("C5")
  @Tag("C7")
  @Tag("C10")
  void processes_in10000FailingClusters_areToldOfEachEndOnce_andLoseNothingUntold() {
    int first = SimulationSeeds.somewhere(ALL);
    runProcesses(seeds(first, first + ALL));
  }

  private static void runProcesses(LongStream seeds) {
    LongAdder downs = new LongAdder();
    LongAdder answers = new LongAdder();
    LongAdder children = new LongAdder();
    seeds.forEach(seed -> {
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

  private static LongStream seeds(int from, int to) {
    Long one = Long.getLong("heddle.cluster.seed");
    return one == null ? LongStream.range(from, to).parallel() : LongStream.of(one);
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
