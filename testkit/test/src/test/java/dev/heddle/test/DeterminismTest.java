// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The same seed gives the same trace, byte for byte: in one JVM again and again, and in JVMs with
/// other compilers, collectors and processors. Other seeds give other traces.
@Timeout(600)
class DeterminismTest {
  private static final int SEEDS = 10;
  private static final int RUNS = 50;

  static SimulationResult<List<String>> run(long seed) {
    SimulationResult<List<String>> result =
        Simulation.run(SimulationOptions.defaults().withSeed(seed), MixedProgram::run);
    assertThat(result.uncontrolled()).isEmpty();
    return result;
  }

  /// A line for each seed, for comparison with other JVMs.
  static List<String> lines() {
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
      assertThat(again.trace()).isEqualTo(first.trace());
      assertThat(again.value()).isEqualTo(first.value());
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
  @ValueSource(
      strings = {
        "-Xint",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-XX:+UseZGC",
        "-XX:ActiveProcessorCount=1",
        "-XX:ActiveProcessorCount=8"
      })
  @Tag("sim-1")
  void sameSeeds_inAnotherJvm_giveTheSameTraces(String flag) throws Exception {
    assertThat(linesOf(flag)).isEqualTo(lines());
  }

  private static List<String> linesOf(String flag) throws IOException, InterruptedException {
    return OtherJvm.lines(Main.class, flag);
  }

  /// Prints the lines of another JVM.
  static final class Main {
    private Main() {}

    public static void main(String[] args) {
      lines().forEach(System.out::println);
    }
  }
}
