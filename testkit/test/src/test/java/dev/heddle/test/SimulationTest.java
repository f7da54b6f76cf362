// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.event.Promise;
import dev.heddle.sync.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Runs of simulations: their time, their schedules, their failures.
@Timeout(300)
class SimulationTest {
  private static final Duration DAY = Duration.ofDays(1);

  // ---- time ----

  @Test
  @Tag("sim-2")
  void delay_ofADay_takesADayOfVirtualTime() {
    assertThat(Simulation.run(() -> Heddle.delay(DAY)).elapsed()).isEqualTo(DAY);
  }

  @Test
  @Tag("sim-2")
  void timeout_ofADay_cutsALongerDelay() {
    var result =
        Simulation.run(() -> {
          assertThatThrownBy(() -> Heddle.withTimeout(DAY, () -> Heddle.delay(DAY.plusHours(1))))
              .isInstanceOf(DeadlineException.class);
        });
    assertThat(result.elapsed()).isEqualTo(DAY);
  }

  @Test
  void value_isThatOfTheMainCoroutine() {
    assertThat(Simulation.run(() -> Heddle.spawn(() -> 40).await() + 2).value()).isEqualTo(42);
  }

  // ---- options ----

  @Test
  void loopOptions_thatASimulationIgnores_areRefusedByName() {
    HeddleOptions loop =
        HeddleOptions.defaults()
            .withDriver("nio")
            .withSignalHandling()
            .withHoldLimit(DAY)
            .withStallLimit(DAY);
    assertThatThrownBy(() -> SimulationOptions.defaults().withLoop(loop))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("driver 'nio'", "handleSignals", "holdLimit", "stallLimit");
  }

  @Test
  void simulation_insideOfASimulation_isRefused() {
    assertThatThrownBy(() -> Simulation.run(() -> Simulation.run(() -> {})))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("a simulation was started inside of a coroutine");
  }

  // ---- schedules ----

  @Test
  @Tag("sim-1")
  void run_withTheSameSeed_takesTheSameCourse() {
    SimulationOptions options = SimulationOptions.defaults().withSeed(7);
    var one = Simulation.run(options, Programs::shuffle);
    var other = Simulation.run(options, Programs::shuffle);
    assertThat(other.fingerprint()).isEqualTo(one.fingerprint());
    assertThat(other.trace()).isEqualTo(one.trace());
    assertThat(other.value()).isEqualTo(one.value());
  }

  @Test
  @Tag("sim-1")
  void runs_withOtherSeeds_takeOtherCourses() {
    var courses = new ArrayList<Long>();
    for (int seed = 0; seed < 20; seed++) {
      SimulationOptions options = SimulationOptions.defaults().withSeed(seed);
      courses.add(Simulation.run(options, Programs::shuffle).fingerprint());
    }
    assertThat(courses).doesNotHaveDuplicates();
  }

  @Test
  void fifo_runsTheOldestFirst() {
    SimulationOptions options = SimulationOptions.defaults().withStrategy(Strategy.fifo());
    assertThat(Simulation.run(options, Programs::order).value()).isEqualTo(List.of(0, 1, 2, 3));
  }

  @Test
  @Tag("sim-21")
  void exhaustive_coversEachOrderOnce() {
    List<List<Integer>> orders = new ArrayList<>();
    SimulationOptions options =
        SimulationOptions.defaults().withStrategy(Strategy.exhaustive(1_000));
    Exploration all = Simulation.explore(options, () -> orders.add(Programs.order()));
    assertThat(all.complete()).isTrue();
    assertThat(all.courses()).isEqualTo(all.runs());
    assertThat(orders.stream().distinct()).hasSize(24);
  }

  @Test
  @Tag("sim-21")
  void exhaustive_withABound_stopsThereAndSaysSo() {
    SimulationOptions options = SimulationOptions.defaults().withStrategy(Strategy.exhaustive(3));
    Exploration some = Simulation.explore(options, () -> Programs.order());
    assertThat(some.runs()).isEqualTo(3);
    assertThat(some.complete()).isFalse();
  }

  @Test
  @Tag("sim-4")
  void schedule_ofARun_repeatsIt() {
    var found = Simulation.run(SimulationOptions.defaults().withSeed(3), Programs::shuffle);
    var replayed =
        Simulation.run(
            SimulationOptions.defaults()
                .withStrategy(Strategy.fifo())
                .withSchedule(found.schedule()),
            Programs::shuffle);
    assertThat(replayed.value()).isEqualTo(found.value());
    assertThat(replayed.fingerprint()).isEqualTo(found.fingerprint());
  }

  // ---- failures ----

  @Test
  @Tag("sim-4")
  void lostUpdate_isFoundAndShrunkToTheDecisionsThatMatter() {
    for (Strategy strategy : List.of(Strategy.randomWalk(), Strategy.pct(3))) {
      SimulationError error =
          catchThrowableOfType(
              SimulationError.class,
              () ->
                  Simulation.explore(
                      SimulationOptions.defaults().withStrategy(strategy), Programs::lostUpdate));
      assertThat(error).as("%s", strategy).hasMessageContaining("./heddle test --seed ");
      assertThat(Schedule.parse(error.result().schedule()).entries()).hasSizeLessThanOrEqualTo(3);
    }
  }

  @Test
  @Tag("sim-4")
  void shrunkSchedule_withItsSeed_failsAgain() {
    SimulationError error =
        catchThrowableOfType(SimulationError.class, () -> Simulation.explore(Programs::lostUpdate));
    SimulationOptions replay =
        SimulationOptions.defaults()
            .withSeed(error.result().seed())
            .withSchedule(error.result().schedule());
    assertThatThrownBy(() -> Simulation.run(replay, Programs::lostUpdate))
        .isInstanceOf(SimulationError.class)
        .hasRootCauseMessage("an update was lost: 1");
  }

  @Test
  @Tag("sim-5")
  void deadlock_failsWithTheReportOfTheLoop() {
    assertThatThrownBy(() -> Simulation.run(() -> Heddle.promise("never").future().await()))
        .isInstanceOf(SimulationError.class)
        .hasCauseInstanceOf(DeadlockError.class)
        .hasMessageContaining("never");
  }

  @Test
  @Tag("sim-5")
  void unobservedFailure_failsTheRun() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              Promise<String> promise = Heddle.promise("forgotten");
              promise.fail(new IllegalStateException("nobody asks"));
            }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("nobody asks");
  }

  @Test
  @Tag("sim-5")
  void endlessYields_failAtTheLimitOfSteps() {
    SimulationOptions options = SimulationOptions.defaults().withStepLimit(1_000);
    assertThatThrownBy(() ->
            Simulation.run(
                options,
                () -> {
                  Heddle.spawn("spinner", () -> Programs.yieldForever());
                }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("has not ended after 1,000 steps")
        .hasMessageContaining("spinner");
  }

  @Test
  @Tag("sim-5")
  void endlessLoop_failsWithTheStackOfTheCoroutine() {
    Simulation.run(() -> {}); // what it loads takes time of the processor, too
    SimulationOptions options = SimulationOptions.defaults().withPatience(Duration.ofSeconds(1));
    assertThatThrownBy(() -> Simulation.run(options, () -> Programs.loopForever()))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("the run does not end")
        .hasMessageContaining("Programs.loopForever");
    Programs.stop = true;
  }

  @Test
  @Tag("sim-5")
  void abandonedCoroutine_isALeak() {
    SimulationOptions options = SimulationOptions.defaults().withPatience(Duration.ofMillis(300));
    assertThatThrownBy(() -> Simulation.run(options, () -> Programs.waitUninterruptibly()))
        .isInstanceOf(SimulationError.class);
  }

  // ---- waits in the JDK ----

  @Test
  @Tag("sim-6")
  void timedWaitInTheJdk_isRefusedWithItsStack() {
    assertThatThrownBy(() -> Simulation.run(() -> Thread.sleep(Duration.ofDays(1))))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("an amount of real time (Thread.sleep)")
        .hasMessageContaining("SimulationTest.java");
  }

  @Test
  @Tag("sim-6")
  void waitInTheJdk_thatLastsWhileTheClockMoves_isNamed() throws Exception {
    CountDownLatch opened = new CountDownLatch(1);
    CountDownLatch waits = new CountDownLatch(1);
    Thread outside =
        Thread.ofPlatform()
            .start(() -> {
              awaitOrFail(waits);
              opened.countDown();
            });
    var result =
        Simulation.record(
            SimulationOptions.defaults(),
            () ->
                Heddle.withTimeout(
                    DAY,
                    () -> {
                      opened.await();
                      return null;
                    }));
    waits.countDown();
    outside.join();
    assertThat(result.elapsed()).isEqualTo(DAY);
    assertThat(result.uncontrolled())
        .singleElement()
        .asString()
        .startsWith("perhaps: ")
        .contains("'main' waits in the JDK (CountDownLatch.await)");
  }

  @Test
  @Tag("sim-6")
  void waitInTheJdk_thatOnlyAnotherThreadCanEnd_isNamed() {
    Simulation.run(() -> {}); // what it loads takes time of the processor, too
    var result =
        Simulation.record(
            SimulationOptions.defaults().withPatience(Duration.ofSeconds(1)),
            () -> {
              new CountDownLatch(1).await();
              return null;
            });
    assertThat(result.failure()).isInstanceOf(DeadlockError.class);
    assertThat(result.uncontrolled())
        .containsExactly("a wake-up by a thread outside of the simulation");
  }

  private static void awaitOrFail(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @Tag("sim-3")
  void virtualThreadOfACoroutine_runsOnTheLoop() {
    var result =
        Simulation.run(() -> {
          Thread carrier = Programs.carrier();
          Thread[] seen = new Thread[1];
          Thread born = Thread.startVirtualThread(() -> seen[0] = Programs.carrier());
          born.join();
          return seen[0] == carrier && carrier != null;
        });
    assertThat(result.value()).isTrue();
    assertThat(result.uncontrolled()).isEmpty();
  }

  @Test
  @Tag("sim-2")
  void channels_inVirtualTime() {
    var result =
        Simulation.run(() -> {
          Channel<Integer> channel = Channel.of("numbers", 2);
          Heddle.spawn(() -> {
            for (int i = 0; i < 10; i++) {
              Heddle.delay(Duration.ofHours(1));
              channel.send(i);
            }
            channel.close();
          });
          int sum = 0;
          for (int number : channel) {
            sum += number;
          }
          return sum;
        });
    assertThat(result.value()).isEqualTo(45);
    assertThat(result.elapsed()).isEqualTo(Duration.ofHours(10));
  }

  @Test
  @Tag("sim-4")
  void exploration_whoseCallerIsInterrupted_endsWithThatRun() {
    Thread caller = Thread.currentThread();
    List<String> runs = new ArrayList<>();
    assertThatThrownBy(() ->
            Simulation.explore(() -> {
              runs.add("run");
              caller.interrupt();
              Heddle.launch("other", SimulationTest::yieldForEver);
              yieldForEver();
            }))
        .isInstanceOf(SimulationError.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(runs).hasSize(1);
  }

  private static void yieldForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }
}
