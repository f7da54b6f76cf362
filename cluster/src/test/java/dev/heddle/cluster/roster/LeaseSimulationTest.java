// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random histories of nodes and voters in virtual time: see [LeaseSimulation].
@Tag("C6")
class LeaseSimulationTest {
  private static final int SEEDS = 1_000;

  @Test
  void names_inRandomHistories_haveOneOwnerThatActs_andStatesThatAgree() {
    long acts = 0;
    long losses = 0;
    long lapses = 0;
    long moves = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      LeaseSimulation simulation = new LeaseSimulation(seed);
      simulation.run();
      acts += simulation.acts;
      losses += simulation.losses;
      lapses += simulation.lapses;
      moves += simulation.moves;
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(SEEDS * 100L);
    assertThat(losses).isGreaterThan(SEEDS);
    assertThat(lapses).isGreaterThan(SEEDS);
    assertThat(moves).isGreaterThan(SEEDS);
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
