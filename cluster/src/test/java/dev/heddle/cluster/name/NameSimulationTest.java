// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.NodeJvm;
import dev.heddle.cluster.engine.SimulationSeeds;
import dev.heddle.cluster.name.SimulatedTime.Scale;
import java.util.List;
import java.util.function.Function;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Random histories of the services of nodes in virtual time: see [NameSimulation]. The usual run
/// has some long ones, of five nodes and 100 s, and some hundred short ones, of four nodes and 25
/// s, with shorter leases and the same faults four times as often, all over a model of sessions;
/// and some long ones over real sessions and a network that fails. The full one has 10,000 short
/// ones, and 1,000 over such networks, others each time. A failure names its seed;
/// `-Dheddle.cluster.name.seed=N` begins with that one, `-Dheddle.cluster.name.seeds=N` is the
/// number of them.
@Tag("C6")
@Execution(ExecutionMode.CONCURRENT) // each history keeps to one thread
class NameSimulationTest {
  private static final int LONG = 50;
  private static final int SHORT = 400;
  private static final int OVER_LOOPBACK = 20;
  private static final int ALL = 10_000;
  private static final int ALL_OVER_LOOPBACK = 1_000;

  private static final Logger LOGGER = Logger.getLogger("dev.heddle.cluster");

  @BeforeAll
  static void printNothing() { // of the failures of each history
    LOGGER.setUseParentHandlers(false);
  }

  @AfterAll
  static void print() {
    LOGGER.setUseParentHandlers(true);
  }

  /// What has happened in all histories of a test.
  private static final class Totals {
    private final int seeds;
    private final Scale scale;
    private final Function<NameSimulation, SimulatedSessions> sessions;
    private long acts;
    private long moves;
    private long reads;
    private long refusals;
    private long taken;
    private long cancelled;
    private long leaves;
    private long raises; // of the format of the log
    private long unlogged; // renewals

    Totals(int seeds, Scale scale) {
      this(seeds, scale, ModelledSessions::new);
    }

    Totals(int seeds, Scale scale, Function<NameSimulation, SimulatedSessions> sessions) {
      this.sessions = sessions;
      this.seeds = Integer.getInteger("heddle.cluster.name.seeds", seeds);
      this.scale = scale;
    }

    void run() {
      run(0);
    }

    /// @param usual the first seed
    void run(int usual) {
      int first = Integer.getInteger("heddle.cluster.name.seed", usual);
      for (int seed = first; seed < first + seeds; seed++) {
        NameSimulation it = new NameSimulation(seed, scale, sessions);
        it.run(scale.millis(60_000));
        acts += it.acts;
        moves += it.majority.moves;
        unlogged += it.majority.unlogged;
        reads += it.reads;
        refusals += it.refusals;
        taken += it.taken;
        cancelled += it.cancelled;
        it.heal();
        it.run(it.calmMillis() + scale.millis(25_000));
        leaves += it.leaves;
        raises += it.majority.format() - 2;
        assertThat(it.calmActs).as("seed %d", seed).isPositive();
      }
      assertEnough();
    }

    /// How often something has happened, for each seed of a long history, or its part of one.
    private long atLeast(long each) {
      return each * seeds / scale.part();
    }

    /// Histories in which nothing happens prove nothing.
    private void assertEnough() {
      assertThat(acts).isGreaterThan(atLeast(100));
      assertThat(moves).isGreaterThan(atLeast(1));
      assertThat(unlogged).isGreaterThan(atLeast(50));
      assertThat(reads).isGreaterThan(atLeast(10));
      assertThat(refusals).isGreaterThan(atLeast(1));
      assertThat(taken).isGreaterThan(atLeast(10));
      assertThat(leaves).isGreaterThan(atLeast(1));
      assertThat(raises).isBetween(atLeast(1) / 4, seeds - 1L);
      assertThat(cancelled).isGreaterThan(atLeast(1) / 4);
    }
  }

  @Test
  void names_inRandomHistories_haveOneOwnerThatActs_andTokensThatGrow() {
    new Totals(LONG, Scale.LONG).run();
    new Totals(SHORT, Scale.SHORT).run();
  }

  @Test
  void names_overANetworkThatFails_haveOneOwnerThatActs_andTokensThatGrow() {
    new Totals(OVER_LOOPBACK, Scale.LONG, SessionsOverLoopback::new).run();
  }

  /// So that a seed that failed fails again.
  @Test
  void history_ofASeed_isTheSameEachTime() {
    for (int seed = 0; seed < 5; seed++) {
      assertThat(history(seed, Scale.SHORT, ModelledSessions::new))
          .as("seed %d", seed)
          .isEqualTo(history(seed, Scale.SHORT, ModelledSessions::new));
    }
    assertThat(history(0, Scale.LONG, SessionsOverLoopback::new))
        .isEqualTo(history(0, Scale.LONG, SessionsOverLoopback::new));
  }

  /// The order of sets is another one in each JVM.
  @Test
  void history_ofASeed_isTheSameInAnotherJvm() throws Exception {
    try (NodeJvm other = NodeJvm.start(ShortHistories.class, List.of())) {
      String said = ShortHistories.said(); // meanwhile
      assertThat(other.waitFor("histories ").text()).isEqualTo(said);
    }
  }

  /// A program that says what has happened in some histories.
  static final class ShortHistories {
    // two depend on the order of what waits for a reply of the log
    private static final int[] SEEDS = {0, 1, 2, 71, 269};

    private ShortHistories() {}

    static String said() {
      return "histories "
          + IntStream.of(SEEDS)
              .mapToObj(seed -> history(seed, Scale.SHORT, ModelledSessions::new))
              .toList();
    }

    public static void main(String... args) {
      LogManager.getLogManager().reset(); // nothing else is printed
      System.out.println(System.currentTimeMillis() + " " + said());
    }
  }

  /// What has happened; the last number depends on how often chance was asked.
  private static List<Long> history(
      int seed, Scale scale, Function<NameSimulation, SimulatedSessions> sessions) {
    NameSimulation it = new NameSimulation(seed, scale, sessions);
    it.run(scale.millis(60_000));
    long moves = it.majority.moves;
    it.heal();
    it.run(it.calmMillis() + scale.millis(25_000));
    return List.of(
        it.acts,
        moves,
        it.reads,
        it.refusals,
        it.leaves,
        it.singletons.acts,
        it.time.random.nextLong());
  }

  @Test
  @Tag("full")
  void names_over1000NetworksThatFail_haveOneOwnerThatActs_andTokensThatGrow() {
    new Totals(ALL_OVER_LOOPBACK, Scale.LONG, SessionsOverLoopback::new)
        .run(SimulationSeeds.somewhere(ALL_OVER_LOOPBACK));
  }

  @Test
  @Tag("full")
  void names_in10000RandomHistories_haveOneOwnerThatActs_andTokensThatGrow() {
    new Totals(ALL, Scale.SHORT).run(SimulationSeeds.somewhere(ALL));
  }
}
