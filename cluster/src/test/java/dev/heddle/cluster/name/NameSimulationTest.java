// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random histories of the services of nodes in virtual time: see [NameSimulation].
@Tag("C6")
class NameSimulationTest {
  private static final int SEEDS = Integer.getInteger("heddle.cluster.name.seeds", 150);

  @Test
  void names_inRandomHistories_haveOneOwnerThatActs_andTokensThatGrow() {
    long acts = 0;
    long moves = 0;
    long reads = 0;
    long refusals = 0;
    long taken = 0;
    long cancelled = 0;
    long leaves = 0;
    long raises = 0;
    for (int seed = Integer.getInteger("heddle.cluster.name.seed", 0); seed < SEEDS; seed++) {
      NameSimulation simulation = new NameSimulation(seed);
      simulation.run(60_000);
      acts += simulation.acts;
      moves += simulation.majority.moves;
      reads += simulation.reads;
      refusals += simulation.refusals;
      taken += simulation.taken;
      cancelled += simulation.cancelled;
      simulation.heal();
      simulation.run(40_000);
      leaves += simulation.leaves;
      raises += simulation.majority.format() - 2;
      assertThat(simulation.calmActs).as("seed %d", seed).isPositive();
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(SEEDS * 100L);
    assertThat(moves).isGreaterThan(SEEDS);
    assertThat(reads).isGreaterThan(SEEDS * 10L);
    assertThat(refusals).isGreaterThan(SEEDS);
    assertThat(taken).isGreaterThan(SEEDS * 10L);
    assertThat(raises).isBetween(SEEDS / 4L, SEEDS - 1L);
    assertThat(leaves).isGreaterThan(SEEDS);
    assertThat(cancelled).isGreaterThan(SEEDS / 4L);
  }
}
