// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

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
    long messages = 0;
    long opened = 0;
    for (long seed = one == null ? 0 : one; seed < (one == null ? SEEDS : one + 1); seed++) {
      ClusterSimulation simulation = new ClusterSimulation(seed);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      messages += simulation.history.messages;
      opened += simulation.history.opened;
    }
    assertThat(messages).as("messages sent").isPositive();
    assertThat(opened).as("sessions opened").isPositive();
    System.out.println("ZZ " + messages + " messages, " + opened + " sessions");
  }
}
