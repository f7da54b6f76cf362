// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

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
}
