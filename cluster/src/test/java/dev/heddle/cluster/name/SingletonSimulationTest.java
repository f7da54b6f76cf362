// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.SimulationSeeds;
import dev.heddle.cluster.name.SimulatedTime.Scale;
import dev.heddle.cluster.roster.Rendezvous;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Singletons in random histories of nodes in virtual time: see [NameSimulation], which judges each
/// act. When all is quiet each one runs once, at the node that its name chooses. The usual run has
/// some long ones and some hundred short ones, as that of names; the full one has 10,000 short
/// ones. `-Dheddle.cluster.name.seed=N` begins with that one, `-Dheddle.cluster.name.seeds=N` is
/// the number of them.
@Tag("C6")
class SingletonSimulationTest {
  private static final int LONG = 40;
  private static final int SHORT = 200;
  private static final int ALL = 10_000;
  private static final int LEAVE_MILLIS = 2_000; // the node that leaves has 1 s of it
  private static final int LEFT_MILLIS = 4_000; // and has ended by then
  private static final int KILL_MILLIS = 12_000;
  private static final int KILL_LEADER_MILLIS = 15_000; // the next one counts from its election

  private final Logger logger = Logger.getLogger("dev.heddle.cluster");
  private final List<String> nodes = new ArrayList<>(); // that live

  @BeforeEach
  void printNothing() { // of the failures of each history
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void print() {
    logger.setUseParentHandlers(true);
  }

  @Test
  void singletons_inRandomHistories_actOneAtATime_andRunOnceWhenAllIsQuiet() {
    run(0, LONG, Scale.LONG);
    run(0, SHORT, Scale.SHORT);
  }

  @Test
  @Tag("full")
  void singletons_in10000RandomHistories_actOneAtATime_andRunOnceWhenAllIsQuiet() {
    run(SimulationSeeds.somewhere(ALL), ALL, Scale.SHORT);
  }

  private void run(int usualFirst, int usual, Scale scale) {
    int seeds = Integer.getInteger("heddle.cluster.name.seeds", usual);
    long acts = 0;
    long begins = 0;
    long moves = 0;
    long finished = 0;
    long obeyed = 0;
    int first = Integer.getInteger("heddle.cluster.name.seed", usualFirst);
    for (int seed = first; seed < first + seeds; seed++) {
      NameSimulation simulation = new NameSimulation(seed, scale);
      simulation.run(scale.millis(60_000));
      acts += simulation.singletons.acts;
      begins += simulation.singletons.begins;
      moves += simulation.singletons.moves;
      finished += simulation.singletons.finished;
      obeyed += simulation.singletons.obeyed;
      simulation.calm();
      simulation.run(scale.millis(60_000));
      nodes.clear();
      nodes.addAll(simulation.time.scale.names());
      checkMoves(simulation);
    }
    // Histories in which nothing happens prove nothing.
    long ran = seeds;
    assertThat(acts).isGreaterThan(ran * 300 / scale.part());
    assertThat(begins).isGreaterThan(ran * 5 / scale.part());
    assertThat(moves).isGreaterThan(ran / scale.part());
    assertThat(finished).isGreaterThan(ran / 4 / scale.part());
    assertThat(obeyed).isGreaterThan(ran / 4 / scale.part());
  }

  /// A node leaves and another is killed, while nothing else happens: what ran there runs
  /// elsewhere.
  private void checkMoves(NameSimulation simulation) {
    Scale scale = simulation.time.scale;
    checkQuiet(simulation);
    String left = runningAt(simulation);
    NameSimulation.Node leaver = simulation.node(left);
    leaver.life.leave(() -> leaver.end(100));
    nodes.remove(left);
    awaitMove(simulation, LEAVE_MILLIS);
    simulation.run(LEFT_MILLIS); // it may lead until it has left
    String killed = runningAt(simulation);
    boolean hasLed = simulation.node(killed).life.service.isLeader();
    simulation.node(killed).end(scale.millis(6_000));
    nodes.remove(killed);
    awaitMove(simulation, scale.millis(hasLed ? KILL_LEADER_MILLIS : KILL_MILLIS));
    simulation.run(scale.millis(20_000));
    checkQuiet(simulation);
  }

  private void checkQuiet(NameSimulation simulation) {
    for (String name : SimulatedSingletons.ALL) {
      List<String> able = nodes.stream().filter(it -> able(it, name)).toList();
      boolean runs = simulation.majority.isDeclared(name) && !able.isEmpty();
      assertThat(simulation.majority.isDeclared(name) || name.equals(SimulatedSingletons.JOB))
          .isTrue();
      assertThat(runningAt(simulation, name))
          .as("seed %d: %s", simulation.seed, name)
          .isEqualTo(
              runs ? List.of(Objects.requireNonNull(Rendezvous.choose(name, able))) : List.of());
    }
  }

  private static boolean able(String node, String name) {
    return SimulatedSingletons.canRun(node, name);
  }

  private static List<String> runningAt(NameSimulation simulation, String name) {
    return simulation.time.scale.names().stream()
        .filter(node -> simulation.node(node).life.singletons.begun(name) != null)
        .toList();
  }

  private static String runningAt(NameSimulation simulation) {
    return runningAt(simulation, SimulatedSingletons.CLOCK).getFirst();
  }

  /// The clock was at a node that is no more.
  private void awaitMove(NameSimulation simulation, long millis) {
    List<String> at = List.of();
    for (long waited = 0; waited <= millis && at.isEmpty(); waited += 50) {
      simulation.run(50);
      at =
          runningAt(simulation, SimulatedSingletons.CLOCK).stream()
              .filter(nodes::contains)
              .toList();
    }
    assertThat(at).as("seed %d", simulation.seed).hasSize(1);
  }
}
