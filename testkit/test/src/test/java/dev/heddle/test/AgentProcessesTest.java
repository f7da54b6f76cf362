// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bodies of processes that wait in the JDK, in simulations with the agent.
@Tag("agent")
@Timeout(300)
class AgentProcessesTest {
  /// Bodies that sleep in the JDK for times of chance, and say so to one that counts.
  static List<String> sleepers() throws InterruptedException {
    List<String> woken = new ArrayList<>();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start()) {
      Pid counts =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                for (int i = 0; i < 10; i++) {
                  woken.add(self.receive(String.class));
                }
                return null;
              }));
      for (int i = 0; i < 10; i++) {
        int number = i;
        var _ =
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  Thread.sleep(Duration.ofMinutes(ThreadLocalRandom.current().nextInt(3)));
                  assertThat(new LinkedBlockingQueue<>().poll(1, TimeUnit.HOURS)).isNull();
                  self.context().send(counts, "body " + number);
                  return null;
                }));
      }
      assertThat(Heddle.await(runtime.whenExited(counts)).cause()).isNull();
    }
    return woken;
  }

  @Test
  void waitsOfBodiesInTheJdk_takeVirtualTime_andRepeatByTheSeed() {
    // classes that are loaded in a run take chance from it: the first run in a JVM may differ
    var _ = Simulation.run(AgentProcessesTest::sleepers);
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 10; seed++) {
      SimulationOptions options = SimulationOptions.defaults().withSeed(seed);
      var first = Simulation.run(options, AgentProcessesTest::sleepers);
      var again = Simulation.run(options, AgentProcessesTest::sleepers);
      assertThat(again.value()).isEqualTo(first.value());
      assertThat(again.elapsed()).isEqualTo(first.elapsed());
      assertThat(first.elapsed()).isBetween(Duration.ofHours(1), Duration.ofMinutes(63));
      assertThat(first.uncontrolled()).isEmpty();
      orders.add(first.value());
    }
    assertThat(orders).hasSizeGreaterThan(5);
  }
}
