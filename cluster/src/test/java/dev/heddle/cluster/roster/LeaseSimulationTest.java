// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.SimulationSeeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Random histories of nodes and voters in virtual time: see [LeaseSimulation]. The full run has
/// 10,000, others each time. A failure names its seed.
@Tag("C6")
@Execution(ExecutionMode.CONCURRENT) // each history keeps to one thread
class LeaseSimulationTest {
  private static final int SEEDS = 1_000;
  private static final int ALL = 10_000;

  @Test
  void names_inRandomHistories_haveOneOwnerThatActs_andStatesThatAgree() {
    run(0, SEEDS);
  }

  @Test
  @Tag("full")
  void names_in10000RandomHistories_haveOneOwnerThatActs_andStatesThatAgree() {
    run(SimulationSeeds.somewhere(ALL), ALL);
  }

  private static void run(int first, int seeds) {
    long acts = 0;
    long losses = 0;
    long lapses = 0;
    long moves = 0;
    for (int seed = first; seed < first + seeds; seed++) {
      LeaseSimulation simulation = new LeaseSimulation(seed);
      simulation.run();
      acts += simulation.acts;
      losses += simulation.losses;
      lapses += simulation.lapses;
      moves += simulation.moves;
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(seeds * 100L);
    assertThat(losses).isGreaterThan(seeds);
    assertThat(lapses).isGreaterThan(seeds);
    assertThat(moves).isGreaterThan(seeds);
  }

  @Test
  void names_whenAllIsWellAgain_areOwnedAndActedFor() {
    for (int seed = 0; seed < 100; seed++) {
      LeaseSimulation simulation = new LeaseSimulation(seed);
      simulation.run();
      simulation.heal();
      assertThat(simulation.actsAfterHeal).as("seed %d", seed).isPositive();
    }
  }
}
