// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class ClusterChatTest {
  @Test
  void threeNodes_meetTalkAndMissTheOneThatLeaves_whoseModeratorAndCartMove() throws Exception {
    try (var chat = ExampleProcess.start("ClusterChat")) {
      assertThat(chat.awaitExit()).as(chat.text()).isZero();
      String all = chat.output();
      assertThat(all).contains("[c] a: three of us, as it seems", "[a] b: hello, a");
      Matcher end = Pattern.compile("moderator: I end: node '(.)' leaves the cluster").matcher(all);
      assertThat(end.find()).as(all).isTrue();
      String left = end.group(1);
      assertThat(all)
          .contains("moderator: I moderate, from node " + left)
          .contains(left + ": I have to go, and the moderator lives here")
          .contains("* " + left + " has left")
          .containsPattern("moderator: I moderate, from node [^" + left + "]")
          .contains(": and then there were two")
          .doesNotContainPattern("\\[" + left + "\\] .: and then there were two");
      assertThat(all).contains("is at node a: milk", "is at node b: milk", "is at node c: milk");
      Matcher cart = Pattern.compile("the cart of (\\S+) is at node " + left).matcher(all);
      assertThat(cart.find()).as(all).isTrue();
      assertThat(all)
          .containsPattern(
              "the cart of %s is at node [^%s]: bread, milk".formatted(cart.group(1), left));
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
