// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.roster.Rendezvous;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Singletons in random histories of nodes in virtual time: see [NameSimulation], which judges each
/// act. When all is quiet each one runs once, at the node that its name chooses.
@Tag("C6")
class SingletonSimulationTest {
  private static final int SEEDS = 40;
  private static final List<String> NODES = List.of("a", "b", "c", "d", "e");
  private static final long LEAVE_MILLIS = 2_000; // the node that leaves has 1 s of it
  private static final long KILL_MILLIS = 12_000;

  private final List<String> nodes = new ArrayList<>(NODES);

  @Test
  void singletons_inRandomHistories_actOneAtATime_andRunOnceWhenAllIsQuiet() {
    long acts = 0;
    long begins = 0;
    long moves = 0;
    long finished = 0;
    long obeyed = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      nodes.clear();
      nodes.addAll(NODES);
      NameSimulation simulation = new NameSimulation(seed, SimulatedTime.Scale.LONG);
      simulation.run(60_000);
      acts += simulation.singletons.acts;
      begins += simulation.singletons.begins;
      moves += simulation.singletons.moves;
      finished += simulation.singletons.finished;
      obeyed += simulation.singletons.obeyed;
      simulation.calm();
      simulation.run(60_000);
      checkQuiet(simulation);
      String left = runningAt(simulation);
      NameSimulation.Node leaver = simulation.node(left);
      leaver.life.leave(() -> leaver.end(100));
      nodes.remove(left);
      awaitMove(simulation, LEAVE_MILLIS);
      String killed = runningAt(simulation);
      simulation.node(killed).end(6_000);
      nodes.remove(killed);
      awaitMove(simulation, KILL_MILLIS);
      simulation.run(20_000);
      checkQuiet(simulation);
    }
    // Histories in which nothing happens prove nothing.
    assertThat(acts).isGreaterThan(SEEDS * 300L);
    assertThat(begins).isGreaterThan(SEEDS * 5L);
    assertThat(moves).isGreaterThan(SEEDS);
    assertThat(finished).isGreaterThan(SEEDS / 4L);
    assertThat(obeyed).isGreaterThan(SEEDS);
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
    return NODES.stream()
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
