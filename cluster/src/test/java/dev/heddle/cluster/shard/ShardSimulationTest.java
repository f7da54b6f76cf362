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

  /// What has become of requests and of the window.
  private static final class Requests {
    long full;
    long held;
    long handedOver;
    long replies;
    long failed;

    void add(ShardSimulation it) {
      full += it.full;
      held += it.heldAsks;
      handedOver += it.handedOver;
      replies += it.replies;
      failed += it.failedAsks;
    }

    /// Histories in which nothing happens prove nothing.
    void assertEnough() {
      assertThat(full).as("refusals, since a window was full").isGreaterThan(SEEDS * 500L);
      assertThat(held).as("requests held while a shard moved").isGreaterThan(SEEDS * 5L);
      assertThat(handedOver).as("requests handed over").isGreaterThan(SEEDS);
      assertThat(replies).isGreaterThan(SEEDS * 1_000L);
    }
  }

  @Test
  @Tag("C6")
  @Tag("C8")
  void shards_inRandomHistories_haveOneOwnerThatActs_keepTheOrder_andLoseNothingInSilence() {
    long acts = 0;
    Map<Failure, Integer> told = new EnumMap<>(Failure.class);
    long handovers = 0;
    long losses = 0;
    long notHere = 0;
    Requests requests = new Requests();
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
      requests.add(simulation);
      notHere += simulation.notHere;
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(SEEDS * 1_000L);
    assertThat(handovers).isGreaterThan(SEEDS * 5L);
    assertThat(losses).isGreaterThan(SEEDS);
    requests.assertEnough();
    assertThat(requests.failed).isGreaterThan(SEEDS * 10L);
    assertThat(notHere).as("requests that were lost with a reply").isPositive();
  }

  @Test
  @Tag("C8")
  void shards_thatMoveWhileNothingFails_loseNoMessage() {
    long handovers = 0;
    Requests requests = new Requests();
    for (int seed = Integer.getInteger("seed", 0); seed < SEEDS; seed++) {
      ShardSimulation simulation = new ShardSimulation(seed, true);
      simulation.run();
      simulation.heal();
      simulation.assertQuiet();
      simulation.assertAllDelivered();
      assertThat(simulation.failedAsks).as("seed %d", seed).isZero();
      handovers += simulation.handovers;
      requests.add(simulation);
    }
    assertThat(handovers).isGreaterThan(SEEDS * 4L);
    requests.assertEnough();
  }
}
