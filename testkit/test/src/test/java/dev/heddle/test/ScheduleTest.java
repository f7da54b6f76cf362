// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Schedules as text, and the strategies that refuse what they cannot do.
class ScheduleTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "0:1", "4:1,p17,s20:1500000,w9:2", "p0:3,w1"})
  @Tag("sim-4")
  void text_isRead_andWrittenAgain(String text) {
    assertThat(Schedule.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "4", "4:1,", "s20", "s20:0", "x1:1", "p", "4:-1"})
  @Tag("sim-4")
  void otherText_isRefused(String text) {
    assertThatThrownBy(() -> Schedule.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  void exhaustive_enumeratesNeitherStallsNorWakeUps() {
    Strategy all = Strategy.exhaustive(10);
    assertThatThrownBy(() -> all.withStalls(100)).hasMessageContaining("stalls");
    assertThatThrownBy(() -> all.withSpuriousWakeUps(100)).hasMessageContaining("wake-ups");
  }

  @Test
  void stallsAndWakeUps_areJoined() {
    assertThat(Strategy.pct(3).withStalls(50).withSpuriousWakeUps(70))
        .isEqualTo(new Strategies.Disturbed(Strategy.pct(3), 50, 70));
    assertThatThrownBy(() -> Strategy.fifo().withStalls(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- replays ----

  private static final AtomicInteger RUNS = new AtomicInteger();

  private static void twoAreReady() throws Exception {
    RUNS.incrementAndGet();
    Heddle.scope(() -> {
      Heddle.launch("one", () -> Heddle.delay(Duration.ofMillis(1)));
      Heddle.launch("other", () -> Heddle.delay(Duration.ofMillis(1)));
    });
  }

  private static SimulationOptions schedule(String text) {
    return SimulationOptions.defaults().withSchedule(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999:2", "0:5", "99999:0"})
  @Tag("sim-4")
  void replay_thatDoesNotFit_fails(String text) {
    for (Action program :
        List.<Action>of(
            () -> Simulation.run(schedule(text), ScheduleTest::twoAreReady),
            () -> Simulation.explore(schedule(text), ScheduleTest::twoAreReady))) {
      assertThatThrownBy(program::run)
          .isInstanceOf(SimulationError.class)
          .hasMessageContaining("the schedule does not fit this program any more")
          .hasMessageContaining("entry " + text + " was not reached");
    }
  }

  @Test
  @Tag("sim-4")
  void replay_thatFits_passes_andRunsOnce() {
    var found = Simulation.run(SimulationOptions.defaults().withSeed(3), ScheduleTest::twoAreReady);
    RUNS.set(0);
    var _ = Simulation.explore(schedule(found.schedule()), ScheduleTest::twoAreReady);
    assertThat(RUNS).hasValue(1);
    assertThat(Simulation.explore(schedule("0:1"), ScheduleTest::twoAreReady).runs()).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"p77", "s3:100", "w5"})
  @Tag("sim-4")
  void replay_thatNeedsTheAgent_saysSo(String text) {
    assertThatThrownBy(() -> Simulation.run(schedule(text), ScheduleTest::twoAreReady))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the schedule " + text + " has ")
        .hasMessageContaining("start Java with -javaagent:heddle-world.jar");
  }

  // ---- enumerations ----

  private static int starts;

  @Test
  @Tag("sim-4")
  void enumeration_ofAProgramThatIsNotDeterministic_fails() {
    SimulationOptions all = SimulationOptions.defaults().withStrategy(Strategy.exhaustive(1000));
    starts = 1; // the first run has a decision
    assertThatThrownBy(() -> Simulation.explore(all, ScheduleTest::launchOthersEachTime))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("not deterministic at decision ");
  }

  @Test
  @Tag("sim-4")
  void enumeration_whoseFirstRunHasNoDecision_findsThatTheNextHasSome() {
    SimulationOptions all = SimulationOptions.defaults().withStrategy(Strategy.exhaustive(1000));
    starts = 0;
    assertThatThrownBy(() -> Simulation.explore(all, ScheduleTest::launchOthersEachTime))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("not deterministic: the first run had no decision");
  }

  @Test
  @Tag("sim-21")
  void enumeration_ofAProgramWithoutDecisions_isComplete_whenASecondRunIsTheSame() {
    SimulationOptions all = SimulationOptions.defaults().withStrategy(Strategy.exhaustive(1000));
    Exploration found = Simulation.explore(all, () -> Heddle.delay(Duration.ofMillis(1)));
    assertThat(found.complete()).isTrue();
    assertThat(found.runs()).isEqualTo(2);
    assertThat(found.courses()).isOne();
  }

  @Test
  @Tag("sim-21")
  void enumeration_inWhichAThreadOutsideHasAPart_isNotComplete() {
    SimulationOptions all = SimulationOptions.defaults().withStrategy(Strategy.exhaustive(1000));
    Exploration found = Simulation.explore(all, ScheduleTest::waitForAnotherThread);
    assertThat(found.complete()).isFalse();
  }

  private static void waitForAnotherThread() throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> {
          while (!aRunWaitsForOthers()) {
            Thread.onSpinWait();
          }
          answer.complete("done");
        });
    assertThat(answer.get()).isEqualTo("done");
  }

  private static boolean aRunWaitsForOthers() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getMethodName().equals("awaitWakeup"));
  }

  private static void launchOthersEachTime() throws Exception {
    int number = 1 + starts++ % 3;
    Heddle.scope(() -> {
      for (int i = 0; i < number; i++) {
        Heddle.launch("one of some", () -> Heddle.delay(Duration.ofMillis(1)));
      }
    });
  }
}
