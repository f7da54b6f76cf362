// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.simulated.kinds.BugKinds;
import dev.heddle.simulated.program.Program;
import dev.heddle.test.Exploration;
import dev.heddle.test.Interruption;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import dev.heddle.test.Strategy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Preemptions, stalls and wake-ups are decisions of the strategy: recorded, replayed, shrunk,
/// enumerated.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PreemptionsTest {
  static List<Strategy> strategies() {
    return List.of(
        Strategy.randomWalk(),
        Strategy.pct(3),
        Strategy.randomWalk().withStalls(20).withSpuriousWakeUps(20));
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void race_isShrunkToThePreemptionThatItNeeds(Strategy strategy) {
    SimulationError error = failure(strategy, BugKinds.DATA_RACE);
    assertThat(error.result().interruptions())
        .hasSize(1)
        .allMatch(one -> one.kind() != Interruption.Kind.WAKE_UP);
    assertThat(error)
        .hasMessageContaining("there is 1 interruption,")
        .hasMessageContaining("dev.heddle.simulated.kinds.RacyCounter.countTwice");
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void shrunkSchedule_isReplayed_stepByStep(Strategy strategy) {
    SimulationResult<?> found = failure(strategy, BugKinds.DATA_RACE).result();
    SimulationOptions replay =
        SimulationOptions.defaults().withSeed(found.seed()).withSchedule(found.schedule());
    assertThat(Simulation.record(replay, () -> run(BugKinds.DATA_RACE)).fingerprint())
        .isEqualTo(found.fingerprint());
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void fullSchedule_isReplayed_stepByStep(Strategy strategy) {
    for (Program program : List.of(BugKinds.DATA_RACE, BugKinds.LOST_NOTIFY)) {
      for (int seed = 0; seed < 20; seed++) {
        SimulationOptions options =
            SimulationOptions.defaults().withSeed(seed).withStrategy(strategy);
        SimulationResult<?> found = Simulation.record(options, () -> run(program));
        SimulationResult<?> again =
            Simulation.record(options.withSchedule(found.schedule()), () -> run(program));
        assertThat(again.fingerprint()).as("%s", found.schedule()).isEqualTo(found.fingerprint());
      }
    }
  }

  @Test
  void exhaustive_withoutPreemptions_findsNoRaceInAllSchedules() {
    Exploration all =
        Simulation.explore(
            SimulationOptions.defaults().withStrategy(Strategy.exhaustive(10_000, 0)),
            () -> BugKinds.DATA_RACE.run());
    assertThat(all.complete()).isTrue();
  }

  @Test
  void exhaustive_withOnePreemption_findsTheRace() {
    SimulationError error = failure(Strategy.exhaustive(10_000, 1), BugKinds.DATA_RACE);
    assertThat(error.result().interruptions()).hasSize(1);
  }

  @Test
  void exhaustive_ofACorrectProgram_coversAllPreemptionsAndEnds() {
    Exploration all =
        Simulation.explore(
            SimulationOptions.defaults().withStrategy(Strategy.exhaustive(20_000, 1)),
            () -> BugKinds.CORRECT.run());
    assertThat(all.complete()).isTrue();
    assertThat(all.courses()).isEqualTo(all.runs()).isGreaterThan(10);
  }

  private static SimulationError failure(Strategy strategy, Program program) {
    return catchThrowableOfType(
        SimulationError.class,
        () ->
            Simulation.explore(
                SimulationOptions.defaults().withSeeds(500).withStrategy(strategy),
                () -> program.run()));
  }

  private static boolean run(Program program) throws Exception {
    program.run();
    return true;
  }
}
