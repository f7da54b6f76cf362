// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.SimulationSeeds;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.SimulatedLog.Scale;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Random histories of shards in virtual time: see [ShardSimulation]. The usual run has some long
/// ones, of four nodes and three minutes, and some hundred short ones, of three nodes and half a
/// minute, with the same faults six times as often, all over a model of sessions; and some long
/// ones over real sessions and a network that fails. The full one has 10,000 short ones of each
/// kind, and 1,000 over such networks, others each time. A failure names its seed; `-Dseed=N`
/// begins with that one, `-Dseeds=N` is the number of them.
@Tag("C6")
@Tag("C8")
@Execution(ExecutionMode.CONCURRENT) // each history keeps to one thread
class ShardSimulationTest {
  private static final int LONG = 30;
  private static final int SHORT = 400;
  private static final int OVER_LOOPBACK = 15;
  private static final int ALL = 10_000;
  private static final int ALL_OVER_LOOPBACK = 1_000;

  /// What has become of messages, requests and shards in all histories of a test.
  private static final class Totals {
    private final int seeds;
    private final Scale scale;
    private final Function<ShardSimulation, ShardSessions> sessions;
    private final Map<Failure, Integer> told = new EnumMap<>(Failure.class);
    private long acts;
    private long handovers;
    private long losses;
    private long notHere;
    private long full;
    private long held;
    private long handedOver;
    private long replies;
    private long failed;
    private long lost;

    Totals(int seeds, Scale scale) {
      this(seeds, scale, ModelledSessions::new);
    }

    Totals(int seeds, Scale scale, Function<ShardSimulation, ShardSessions> sessions) {
      this.sessions = sessions;
      this.seeds = Integer.getInteger("seeds", seeds);
      this.scale = scale;
    }

    Totals run(boolean isCalm) {
      return run(isCalm, 0);
    }

    /// @param usual the first seed
    Totals run(boolean isCalm, int usual) {
      int first = Integer.getInteger("seed", usual);
      for (int seed = first; seed < first + seeds; seed++) {
        ShardSimulation it = new ShardSimulation(seed, scale, isCalm, sessions);
        it.run();
        it.heal();
        it.assertQuiet();
        if (isCalm) {
          it.assertAllDelivered();
        }
        add(it);
      }
      return this;
    }

    private void add(ShardSimulation it) {
      assertThat(it.actsAfterHeal).as("seed %d", it.seed).isPositive();
      it.told.forEach((why, count) -> told.merge(why, count, Integer::sum));
      acts += it.acts;
      handovers += it.handovers;
      losses += it.losses;
      notHere += it.notHere;
      full += it.full;
      held += it.heldAsks;
      handedOver += it.handedOver;
      replies += it.replies;
      failed += it.failedAsks;
      lost += it.lostAsks;
    }

    /// How often something has happened, for each seed of a long history, or its part of one.
    private long atLeast(long each) {
      return each * seeds / scale.part();
    }

    /// Histories in which nothing happens prove nothing.
    Totals assertEnough() {
      assertThat(acts).isGreaterThan(atLeast(1_000));
      assertThat(handovers).isGreaterThan(atLeast(4));
      assertThat(full).as("refusals, since a window was full").isGreaterThan(atLeast(100));
      assertThat(held).as("requests held while a shard moved").isGreaterThan(atLeast(5));
      assertThat(handedOver).as("requests handed over").isGreaterThan(atLeast(1));
      assertThat(replies).isGreaterThan(atLeast(1_000));
      return this;
    }

    Totals assertFailures() {
      assertThat(losses).isGreaterThan(atLeast(1));
      assertThat(failed).isGreaterThan(atLeast(10));
      assertThat(lost).as("requests that were lost, each for a cause").isGreaterThan(atLeast(10));
      return this;
    }

    void assertRareFailures() {
      assertThat(notHere).as("requests that were lost with a reply").isPositive();
    }

    void assertNoFailures() {
      assertThat(failed).isZero();
      assertThat(told.keySet()).isSubsetOf(Failure.FULL);
    }
  }

  @Test
  void shards_inRandomHistories_haveOneOwnerThatActs_keepTheOrder_andLoseNothingWithoutACause() {
    new Totals(LONG, Scale.LONG).run(false).assertEnough();
    new Totals(SHORT, Scale.SHORT).run(false).assertEnough().assertFailures().assertRareFailures();
  }

  @Test
  void shards_thatMoveWhileNothingFails_loseNoMessage() {
    new Totals(LONG, Scale.LONG).run(true).assertEnough().assertNoFailures();
    new Totals(SHORT, Scale.SHORT).run(true).assertEnough().assertNoFailures();
  }

  @Test
  void shards_overANetworkThatFails_haveOneOwner_keepTheOrder_andLoseNothingWithoutACause() {
    new Totals(OVER_LOOPBACK, Scale.LONG, SessionsOverLoopback::new)
        .run(false)
        .assertEnough()
        .assertFailures();
  }

  @Test
  @Tag("full")
  void shards_over1000NetworksThatFail_haveOneOwner_andLoseNothingWithoutACause() {
    new Totals(ALL_OVER_LOOPBACK, Scale.LONG, SessionsOverLoopback::new)
        .run(false, SimulationSeeds.somewhere(ALL_OVER_LOOPBACK))
        .assertEnough()
        .assertFailures()
        .assertRareFailures();
  }

  @Test
  @Tag("full")
  void shards_in10000RandomHistories_haveOneOwner_keepTheOrder_andLoseNothingWithoutACause() {
    new Totals(ALL, Scale.SHORT)
        .run(false, SimulationSeeds.somewhere(ALL))
        .assertEnough()
        .assertFailures()
        .assertRareFailures();
  }

  @Test
  @Tag("full")
  void shards_thatMoveIn10000HistoriesWhileNothingFails_loseNoMessage() {
    new Totals(ALL, Scale.SHORT)
        .run(true, SimulationSeeds.somewhere(ALL))
        .assertEnough()
        .assertNoFailures();
  }
}
