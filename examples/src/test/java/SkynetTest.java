// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SkynetTest {
  @Test
  void tree_ofAHundredThousand_hasTheRightSum() throws Exception {
    try (var skynet = ExampleProcess.start("Skynet", "-w", "2", "100000")) {
      assertThat(skynet.awaitExit()).as(skynet.text()).isZero();
      assertThat(skynet.output())
          .contains("100,000 leaves, 111,111 processes on 2 workers")
          .endsWith("The sum is 4999950000, as it should be.");
    }
  }

  @Test
  void tree_thatIsNoPowerOfTen_hasTheRightSum() throws Exception {
    try (var skynet = ExampleProcess.start("Skynet", "37");
        var one = ExampleProcess.start("Skynet", "1")) {
      assertThat(skynet.awaitExit()).as(skynet.text()).isZero();
      assertThat(skynet.output()).contains("37 leaves, 48 processes").contains("The sum is 666,");
      assertThat(one.awaitExit()).as(one.text()).isZero();
      assertThat(one.output()).contains("1 leaves, 1 processes").contains("The sum is 0,");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var wrong = ExampleProcess.start("Skynet", "many");
        var help = ExampleProcess.start("Skynet", "--help")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output())
          .contains("Skynet: LEAVES is a number from 1 to 99999999, not many")
          .contains("usage:");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).startsWith("usage:");
    }
  }
}
