// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.test.run.UnendingRunError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Programs with an endless loop, which holds the carrier: each costs the patience once, and with
/// the agent the loop ends.
@Timeout(300)
class UnendingTest {
  private static final List<Thread> CARRIERS = new ArrayList<>();

  private static volatile boolean stopped; // what has no other end

  @BeforeEach
  void forget() {
    CARRIERS.clear();
    stopped = false;
  }

  @AfterEach
  void stop() {
    stopped = true;
  }

  private static class FirstUse {
    private static long used;

    private FirstUse() {}
  }

  private static void ask(LongSupplier simulated) {
    CARRIERS.add(Programs.carrier());
    FirstUse.used++; // the first run initialises a class, and would be repeated
    while (true) {
      var _ = simulated.getAsLong();
    }
  }

  private static void endsItsLoop(LongSupplier simulated) throws InterruptedException {
    Simulation.run(() -> {}); // what it loads takes time of the processor, too
    var options = SimulationOptions.defaults().withPatience(Duration.ofSeconds(1));
    SimulationResult<?> result =
        Simulation.record(
            options,
            () -> {
              ask(simulated);
              return null;
            });
    assertThat(result.failure()).isInstanceOf(UnendingRunError.class);
    assertThat(CARRIERS).hasSize(1);
    assertThat(FirstUse.used).isPositive();
    CARRIERS.getFirst().join();
  }

  @Test
  @Tag("agent")
  void loopThatReadsTheClock_runsOnce_andEnds() throws InterruptedException {
    endsItsLoop(() -> System.nanoTime());
  }

  @Test
  @Tag("agent")
  void loopThatDrawsSeeds_runsOnce_andEnds() throws InterruptedException {
    endsItsLoop(() -> new Object().hashCode() + new Random().nextLong());
  }

  // the first invocation, with the agent a warm-up, is the only one
  private static void endsTheTest() {
    SimulationOptions options =
        SimulationOptions.defaults().withSeeds(3).withPatience(Duration.ofMillis(200));
    SeedInvocations all = new SeedInvocations(options);
    all.next();
    SimulationResult<?> result =
        Simulation.record(
            options,
            () -> {
              while (!stopped) {
                double _ = Math.random();
              }
              return null;
            });
    assertThat(all.ended(result, true).verdict()).isEqualTo(SeedInvocations.Verdict.FIRST_FAILURE);
    assertThat(all.hasNext()).isFalse();
  }

  @Test
  void otherSeeds_areNotTried_afterALoopThatDoesNotEnd() {
    endsTheTest();
  }

  @Test
  @Tag("agent")
  void warmUp_thatDoesNotEnd_isTheOnlyRun() {
    endsTheTest();
  }
}
