// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.shard.ShardMessage.Failure;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random histories of shards in virtual time: see [ShardSimulation].
class ShardSimulationTest {
  private static final int SEEDS = Integer.getInteger("seeds", 300);

  @Test
  @Tag("C6")
  @Tag("C8")
  void shards_inRandomHistories_haveOneOwnerThatActs_keepTheOrder_andLoseNothingInSilence() {
    long acts = 0;
    Map<Failure, Integer> told = new EnumMap<>(Failure.class);
    long handovers = 0;
    long losses = 0;
    for (int seed = Integer.getInteger("seed", 0); seed < SEEDS; seed++) {
      ShardSimulation simulation = new ShardSimulation(seed, false);
      simulation.run();
      simulation.heal();
      simulation.assertQuiet();
      assertThat(simulation.actsAfterHeal).as("seed %d", seed).isPositive();
      acts += simulation.acts;
      simulation.told.forEach((why, count) -> told.merge(why, count, Integer::sum));
      handovers += simulation.handovers;
      losses += simulation.losses;
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(SEEDS * 1_000L);
    assertThat(handovers).isGreaterThan(SEEDS * 5L);
    assertThat(losses).isGreaterThan(SEEDS);
  }

  @Test
  @Tag("C8")
  void shards_thatMoveWhileNothingFails_loseNoMessage() {
    long handovers = 0;
    for (int seed = Integer.getInteger("seed", 0); seed < SEEDS; seed++) {
      ShardSimulation simulation = new ShardSimulation(seed, true);
      simulation.run();
      simulation.heal();
      simulation.assertQuiet();
      simulation.assertAllDelivered();
      handovers += simulation.handovers;
    }
    assertThat(handovers).isGreaterThan(SEEDS * 4L);
  }
}
