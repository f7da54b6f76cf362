// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Body;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.spi.DumpParts;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Simulations in a JVM that an observer looks at.
@Tag("agent")
@Timeout(600)
class ObserverTest {
  private static final int RUNS = 20;
  private static final SimulationOptions SEED = SimulationOptions.defaults().withSeed(7);

  // what `heddle console` does, without its pauses
  private static final class Observer implements AutoCloseable {
    private final Thread looks = new Thread(this::look, "observer");
    private volatile boolean over;

    Observer() {
      looks.setDaemon(true);
      looks.start();
    }

    private void look() {
      while (!over) {
        for (Attachable shown : Attachables.all()) {
          var _ = shown.summary();
          try (Feed feed = shown.watch()) {
            var _ = feed.look();
          }
        }
        var _ = DumpParts.collect();
      }
    }

    @Override
    public void close() {
      over = true; // it may look once more, at the next run
    }
  }

  /// A console that showed all programs of the machine changed the traces of simulations: it read
  /// the stacks of their coroutines, which then resumed later than the seed wanted.
  @Test
  @Tag("sim-1")
  void courseOfASimulation_whileAConsoleLooksAtItsJvm_staysThatOfItsSeed() throws Exception {
    assertSameCourse(BlockingProgram::run);
  }

  @Test
  @Tag("sim-1")
  void courseOfProcesses_whileAConsoleLooksAtTheirJvm_staysThatOfItsSeed() throws Exception {
    assertSameCourse(AgentProcessesTest::sleepers);
  }

  private static void assertSameCourse(Body<List<String>> program) throws Exception {
    long fingerprint = Simulation.run(SEED, program).fingerprint();
    try (var _ = new Observer()) {
      for (int run = 0; run < RUNS; run++) {
        SimulationResult<List<String>> observed = Simulation.run(SEED, program);
        assertThat(observed.failure()).isNull();
        assertThat(observed.fingerprint()).isEqualTo(fingerprint);
      }
    }
  }
}
