// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BankTest {
  @Test
  void manyCrashes_loseNothing() throws Exception {
    try (var bank = ExampleProcess.start("Bank", "-n", "100", "-c", "20", "-s", "7")) {
      assertThat(bank.awaitExit()).as(bank.text()).isZero();
      assertThat(bank.output())
          .contains("10 accounts, 4 tellers, seed 7")
          .containsPattern("(?m)^[1-9][0-9]* crashes$")
          .contains("In all accounts: 10000 at first, 10000 now")
          .endsWith("Nothing was lost.");
      int made = Integer.parseInt(bank.text().replaceFirst("(?s).*?(\\d+) transfers made.*", "$1"));
      assertThat(made).isBetween(1, 400);
    }
  }

  @Test
  void accountsOfKilledNodes_loseNothing() throws Exception {
    String[] options = {"-n", "40", "-c", "10", "-s", "7", "--nodes", "3", "--kills", "2"};
    try (var bank = ExampleProcess.start("Bank", options)) {
      assertThat(bank.awaitExit()).as(bank.text()).isZero();
      assertThat(bank.output())
          .containsPattern("(?s)Node . was killed, and starts again.*Node . was killed")
          .containsPattern("Answers by node: \\{.*=.*=.*\\}") // of two nodes, at least
          .containsPattern("(?m)^[1-9][0-9]* crashes$")
          .contains("In all accounts: 10000 at first, 10000 now")
          .endsWith("Nothing was lost.");
    }
  }

  @Test
  void noCrash_isPossible() throws Exception {
    try (var bank = ExampleProcess.start("Bank", "-a", "2", "-t", "1", "-n", "20", "-c", "0")) {
      assertThat(bank.awaitExit()).as(bank.text()).isZero();
      assertThat(bank.output()).contains("\n0 crashes\n").endsWith("Nothing was lost.");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var wrong = ExampleProcess.start("Bank", "-c", "90");
        var unknown = ExampleProcess.start("Bank", "--rob");
        var help = ExampleProcess.start("Bank", "--help")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output())
          .contains("Bank: -c needs a number from 0 to 50, not 90")
          .contains("usage:");
      assertThat(unknown.awaitExit()).isEqualTo(2);
      assertThat(unknown.output()).contains("no such option: --rob");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).startsWith("usage:");
    }
  }
}
