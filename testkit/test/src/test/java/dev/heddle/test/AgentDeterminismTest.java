// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// With the agent: the same seed gives the same trace also to a program of threads, monitors,
/// executors and chance of the JDK.
@Tag("agent")
@Timeout(600)
class AgentDeterminismTest {
  private static final int SEEDS = 8;
  private static final int RUNS = 30;

  private static SimulationResult<List<String>> run(long seed) {
    SimulationResult<List<String>> result =
        Simulation.run(SimulationOptions.defaults().withSeed(seed), BlockingProgram::run);
    assertThat(result.uncontrolled()).isEmpty();
    return result;
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      SimulationResult<List<String>> result = run(seed);
      lines.add(
          "%d %x %x %x"
              .formatted(
                  seed,
                  result.fingerprint(),
                  result.trace().hashCode(),
                  String.valueOf(result.value()).hashCode()));
    }
    return lines;
  }

  @Test
  @Tag("sim-1")
  void sameSeed_inOneJvm_givesTheSameTrace() {
    SimulationResult<List<String>> first = run(1);
    for (int i = 0; i < RUNS; i++) {
      SimulationResult<List<String>> again = run(1);
      assertThat(again.value()).isEqualTo(first.value());
      assertThat(again.trace()).isEqualTo(first.trace());
    }
  }

  @Test
  @Tag("sim-1")
  void otherSeeds_giveOtherTraces() {
    Set<String> traces = new HashSet<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      traces.add(run(seed).trace());
    }
    assertThat(traces).hasSize(SEEDS);
  }

  @ParameterizedTest
  @Tag("sim-1")
  @ValueSource(
      strings = {
        "-Xint",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-XX:+UseZGC",
        "-XX:ActiveProcessorCount=1",
        "-XX:ActiveProcessorCount=8"
      })
  void sameSeeds_inAnotherJvm_giveTheSameTraces(String flag) throws Exception {
    String agent = "-javaagent:" + System.getProperty("heddle.world.jar");
    assertThat(OtherJvm.lines(Main.class, flag, agent)).isEqualTo(lines());
  }

  /// Prints the lines of another JVM.
  static final class Main {
    private Main() {}

    public static void main(String[] args) {
      lines().forEach(System.out::println);
    }
  }
}
