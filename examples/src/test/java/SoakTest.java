// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The soaks take minutes and are run by hand. Here they must compile and start, and the worlds of
/// processes live for six rounds, among which are all kinds.
final class SoakTest {
  private static final int ROUNDS = 6;

  @Test
  void worlds_forSixRounds_holdWhatTheyPromise() throws Exception {
    var worlds = ExampleProcess.root().resolve("bench/soak/worlds/Worlds.java");
    try (var run = ExampleProcess.startFile(worlds, "--rounds", String.valueOf(ROUNDS))) {
      for (int round = 1; round <= ROUNDS; round++) {
        run.awaitLine("^Begins: round " + round); // each has the time of a program
      }
      run.awaitLine("rounds, \\d+ violations");
      assertThat(run.awaitExit()).as(run.text()).isZero();
    }
  }

  @Test
  void worlds_withoutALength_sayHowToCallThem() throws Exception {
    var worlds = ExampleProcess.root().resolve("bench/soak/worlds/Worlds.java");
    try (var run = ExampleProcess.startFile(worlds, "--workers", "2")) {
      assertThat(run.awaitExit()).isEqualTo(2);
      assertThat(run.output()).contains("soak worlds --minutes N");
    }
  }

  @Test
  void soak_withoutALength_saysHowToCallIt() throws Exception {
    var soak = ExampleProcess.root().resolve("bench/soak/Soak.java");
    try (var run = ExampleProcess.startFile(soak)) {
      assertThat(run.awaitExit()).isEqualTo(2);
      assertThat(run.output()).contains("--minutes N");
    }
  }

  @Test
  void soak_ofAProgramThatLeaks_saysWhatHasGrown() throws Exception {
    var leaks = ExampleProcess.root().resolve("bench/soak/Leaks.java");
    try (var run = ExampleProcess.startFile(List.of("-Xms256m", "-Xmx256m"), leaks)) {
      assertThat(run.awaitExit()).isZero();
      assertThat(run.output())
          .contains("flat: []", "tolerated: []", "one round: [nothing is known")
          .containsPattern("(?m)^descriptors: .*descriptors from \\d+ to \\d+")
          .containsPattern("(?m)^threads: .*threads from \\d+ to \\d+")
          .containsPattern("(?m)^heap: .*heap from \\d+ to \\d+")
          .containsPattern("(?m)^direct: .*direct from \\d+ to \\d+")
          .containsPattern("(?m)^resident: .*resident from \\d+ to \\d+");
    }
  }
}
