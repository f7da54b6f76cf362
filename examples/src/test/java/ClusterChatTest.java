// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class ClusterChatTest {
  private static final int TRIES = 50; // of `heddle cluster status`

  /// In whose folder for temporary files the nodes keep their votes and carts.
  @TempDir Path temporary;

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
  void threeTerminals_talk_andOneIsKilled_whoseModeratorAndCartGoOn_andWhoComesBack()
      throws Exception {
    Map<String, ExampleProcess> nodes = new TreeMap<>();
    try {
      for (String name : List.of("a", "b", "c")) {
        nodes.put(name, node(name));
      }
      talk(nodes);
      String killed = awaitModerator(nodes.get("a"), ".");
      String survivor = killed.equals("a") ? "b" : "a";
      String customer = fillCart(nodes.get(survivor), killed);
      awaitStatus(nodes.get(survivor), "(?m)^Voters a, b, c: '[abc]' leads$");
      // its lease, the name of the moderator, and its shards and carts
      awaitStatus(nodes.get(survivor), "(?m)^" + killed + " +UP .* [\\d.]+ s +1 +[1-9]\\d* +[1-9]");
      nodes.remove(killed).signal("KILL");
      for (ExampleProcess each : nodes.values()) {
        each.awaitLine("\\* " + killed + " is out of reach: ");
      }
      awaitModerator(nodes.get(survivor), "[^" + killed + "]");
      assertThat(put(nodes.get(survivor), customer, "bread", "[^" + killed + "]"))
          .isEqualTo("bread, milk");
      comeBack(killed, nodes);
    } finally {
      nodes.values().forEach(ExampleProcess::close);
    }
  }

  /// A node in a JVM of its own, in a chat of this test alone.
  private ExampleProcess node(String name) throws IOException {
    return ExampleProcess.startFile(
        List.of("-Djava.io.tmpdir=" + temporary),
        ExampleProcess.root().resolve("examples/ClusterChat.java"),
        name,
        "test." + ProcessHandle.current().pid());
  }

  private static void talk(Map<String, ExampleProcess> nodes) throws Exception {
    for (ExampleProcess each : nodes.values()) {
      each.awaitLine("\\* . is here");
      each.awaitLine("\\* . is here");
    }
    for (String name : nodes.keySet()) {
      nodes.get(name).type("hello from " + name);
      for (ExampleProcess each : nodes.values()) {
        each.awaitLine(name + ": hello from " + name);
      }
    }
  }

  /// Asks a node again and again, as somebody at its terminal would.
  private static String awaitModerator(ExampleProcess node, String place) throws Exception {
    while (true) {
      node.type("/moderator");
      MatchResult line = node.awaitLine("\\* it is (nowhere|at node (.))");
      if (line.group(2) != null && line.group(2).matches(place)) {
        return line.group(2);
      }
    }
  }

  /// Asks `heddle cluster status` again and again: what a node shows of others comes late.
  private static void awaitStatus(ExampleProcess node, String pattern) throws Exception {
    String status = node.clusterStatus();
    for (int i = 1; i < TRIES && !Pattern.compile(pattern).matcher(status).find(); i++) {
      status = node.clusterStatus();
    }
    assertThat(status).containsPattern(pattern);
  }

  /// @return a customer whose cart is at that node
  private static String fillCart(ExampleProcess node, String place) throws Exception {
    for (int i = 0; ; i++) {
      node.type("/put customer" + i + " milk");
      MatchResult line = node.awaitLine("the cart of customer" + i + "(?: is at node (.): milk|:)");
      if (place.equals(line.group(1))) {
        return "customer" + i;
      }
    }
  }

  /// @return what is in the cart, once it is at such a node
  private static String put(ExampleProcess node, String customer, String item, String place)
      throws Exception {
    while (true) {
      node.type("/put " + customer + " " + item);
      MatchResult line = node.awaitLine("the cart of " + customer + "(?: is at node (.): (.*)|:)");
      if (line.group(1) != null && line.group(1).matches(place)) {
        return line.group(2);
      }
    }
  }

  /// The killed one starts again, in its directory, and talks; another one leaves.
  private void comeBack(String killed, Map<String, ExampleProcess> nodes) throws Exception {
    List<ExampleProcess> others = List.copyOf(nodes.values());
    ExampleProcess again = node(killed);
    nodes.put(killed, again);
    again.awaitLine("\\* . is here");
    again.awaitLine("\\* . is here");
    again.type("I am back");
    for (ExampleProcess each : others) {
      each.awaitLine(killed + ": I am back");
    }
    others.getFirst().type("/quit");
    assertThat(others.getFirst().awaitExit()).as(others.getFirst().text()).isZero();
    others.getLast().awaitLine("\\* . has left");
    again.awaitLine("\\* . has left");
  }

  @Test
  void nameThatRunsAlready_isToldTheProcessThatHasIt() throws Exception {
    try (var first = node("a")) {
      first.awaitLine("Node a listens");
      try (var second = node("a")) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.output())
            .contains("locked by node 'a' in process")
            .doesNotContain("\tat ");
      }
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var wrong = ExampleProcess.start("ClusterChat", "a", "b", "c");
        var help = ExampleProcess.start("ClusterChat", "--help")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output()).contains("usage:");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).contains("usage:");
    }
  }
}
