// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ClusterChatTest {
  @Test
  void threeNodes_meetTalkAndMissTheOneThatLeaves() throws Exception {
    try (var chat = ExampleProcess.start("ClusterChat")) {
      assertThat(chat.awaitExit()).as(chat.text()).isZero();
      assertThat(chat.output())
          .contains("[c] a: three of us, as it seems")
          .contains("[a] c: I have to go")
          .contains("[a] * c has left", "[b] * c has left")
          .contains("[b] a: and then there were two")
          .doesNotContain("[c] a: and then there were two");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var wrong = ExampleProcess.start("ClusterChat", "a", "b");
        var help = ExampleProcess.start("ClusterChat", "--help")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output()).contains("usage:");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).contains("usage:");
    }
  }
}
