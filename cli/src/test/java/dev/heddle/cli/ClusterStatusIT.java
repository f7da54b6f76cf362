// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `heddle cluster status`, `ps` and `dump` of real nodes, each in a JVM of its own.
class ClusterStatusIT {
  private static final String JAVA =
      ProcessHandle.current().info().command().orElseThrow(IllegalStateException::new);
  private static final int TRIES = 50;

  private static final String NODE =
      """
      import dev.heddle.cluster.*;
      import java.util.Map;

      void main(String[] args) throws Exception {
        Cluster.join(ClusterOptions.named(args[0])
            .cluster(args[1])
            .bind("127.0.0.1", Integer.parseInt(args[2]))
            .seeds("127.0.0.1:" + args[2], "127.0.0.1:" + args[3])
            .labels(Map.of("role", "cart")));
        IO.println("ready");
        Thread.currentThread().join();
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private String node(String name, String cluster, int port, int other) throws Exception {
    List<String> command =
        List.of(
            JAVA,
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp",
            System.getProperty("heddle.jar"),
            checkout.write("Node.java", NODE).toString(),
            name,
            cluster,
            Integer.toString(port),
            Integer.toString(other));
    Outcome.Started child = Outcome.start(command, checkout.root(), Map.of(), "");
    started.add(child);
    child.awaitOutput("ready");
    return Long.toString(child.process().pid());
  }

  /// Asks until the answer has what it is to have: nodes find each other in their own time.
  ///
  /// @return the last answer, for the test to judge
  private Outcome ask(String wanted, String... words) throws Exception {
    Pattern pattern = Pattern.compile(wanted);
    Outcome answer = checkout.heddle(words);
    for (int i = 1; i < TRIES && !pattern.matcher(answer.out()).find(); i++) {
      answer = checkout.heddle(words);
    }
    return answer;
  }

  @Test
  void nodesInTouch_areInAllThreeCommands_thenTheLostOne() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    String one = node("a", "shop", a, b);
    String two = node("b", "shop", b, a);

    String inTouch = "(?m)^b +UP +\\d+ +[\\d.]+ ms .* role=cart$";
    Outcome status = ask(inTouch, "cluster", "status", one);
    assertThat(status.code()).isZero();
    assertThat(status.out())
        .startsWith("Process " + one + ", Node.java\nNode 'a' of cluster 'shop' at 127.0.0.1:" + a)
        .containsPattern(inTouch);
    assertThat(checkout.heddle("cluster", "status").out())
        .contains("Node 'a' of cluster 'shop'", "Node 'b' of cluster 'shop'");
    String oneInTouch = "(?m)^ *%s +a +UP +shop +127.0.0.1:%d +1 +0 +0 +0 ".formatted(one, a);
    assertThat(ask(oneInTouch, "ps").out())
        .containsPattern("(?m)^ *PID +NODE +STATE +CLUSTER +ADDRESS +IN TOUCH +LOST +REFUSED")
        .containsPattern(oneInTouch);
    assertThat(ask(inTouch, "ps", one).out()).containsPattern(inTouch);
    assertThat(ask(inTouch, "dump", one).out()).containsPattern(inTouch);
    assertThat(checkout.heddle("dump", "--json", one).out())
        .contains("\"clusters\":[{\"node\":\"a\",\"cluster\":\"shop\"", "\"name\":\"b\"");

    ProcessHandle.of(Long.parseLong(two)).ifPresent(ProcessHandle::destroyForcibly);
    assertThat(ask("(?m)^b +LOST", "cluster", "status", one).out())
        .containsPattern("(?m)^b +LOST .*\n  \\w+: .* ago\\)$");
  }

  @Test
  void nodeOfAnotherCluster_isShownWithTheReason() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    String one = node("a", "shop", a, b);
    String two = node("b", "store", b, a);

    String why = "node 'b' is of cluster 'store', node 'a' of 'shop'";
    assertThat(ask(why, "ps", one).out()).containsPattern("(?m)^b +GREETING .*\n  .*" + why);
    assertThat(ask("cluster '", "ps", two).out()).containsPattern("(?m)^a +GREETING .*\n  .*of");
    assertThat(checkout.heddle("dump", one).out()).contains(why);
  }

  @Test
  void processWithoutANode_isNoCluster() throws Exception {
    checkout.write(
        "Naps.java",
        """
        import dev.heddle.Heddle;
        import java.time.Duration;

        void main() {
          IO.println("ready");
          Heddle.delay(Duration.ofHours(1));
        }
        """);
    Outcome.Started child = checkout.start("run", "Naps.java");
    started.add(child);
    child.awaitOutput("ready");
    String pid = Long.toString(child.process().pid());
    Outcome status = checkout.heddle("cluster", "status", pid);
    assertThat(status.code()).isEqualTo(1);
    assertThat(status.out()).isEmpty();
    assertThat(status.err()).isEqualTo("heddle: process %s is in no cluster\n".formatted(pid));
  }
}
