// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The soak itself takes minutes and is run by hand; here it must compile and start.
final class SoakTest {
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
