// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Three nodes, each in a JVM of its own; two of them run through all tests. How long a detection
/// took is printed, not asserted: see [DetectionTimes]. What is asserted is its cause, and that it
/// does not come early, by the clock of the node that tells it: so it holds at any speed.
@Timeout(900)
@EnabledOnOs(OS.LINUX) // for signals and /proc
class ClusterJvmsTest {
  private static final int KILLS = 5; // at most, until a closed connection has told of one
  private static final long PROBE_MILLIS = 1_000;

  /// Of all nodes, as seeds of each. All tests have the same `a` and `b`, and each its third node.
  private static final Map<String, Integer> PORTS = new TreeMap<>();

  private static final List<NodeJvm> SHARED = new ArrayList<>();

  private final List<NodeJvm> jvms = new ArrayList<>();

  @BeforeAll
  static void startShared() throws IOException {
    for (String name : List.of("a", "b", "killed", "leaver")) {
      PORTS.put(name, TestPorts.next());
    }
    SHARED.add(start("a", PORTS.get("a"), PORTS.values()));
    SHARED.add(start("b", PORTS.get("b"), PORTS.values()));
  }

  @AfterAll
  static void endShared() {
    SHARED.forEach(NodeJvm::close);
    SHARED.clear();
  }

  @AfterEach
  void end() {
    jvms.forEach(NodeJvm::close);
  }

  private static NodeJvm start(String name, int port, Collection<Integer> seeds)
      throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(name, port));
    arguments.addAll(seeds);
    return NodeJvm.start(List.of(), arguments.toArray());
  }

  private NodeJvm startThird(String name) throws IOException {
    NodeJvm jvm = start(name, PORTS.get(name), PORTS.values());
    jvms.add(jvm);
    return jvm;
  }

  /// Three nodes in touch: `a` and `b` each watch a process of the third.
  private List<NodeJvm> threeNodes(String third) throws Exception {
    NodeJvm c = startThird(third);
    for (NodeJvm one : SHARED) {
      one.waitFor("UP " + third);
      watch(one, third);
    }
    return List.of(SHARED.get(0), SHARED.get(1), c);
  }

  static void watch(NodeJvm one, String other) throws InterruptedException {
    one.say("watch " + other);
    one.waitFor("WATCHES " + other);
  }

  static void printTimes(String what, long from, NodeJvm.Line... lines) {
    for (NodeJvm.Line line : lines) {
      System.out.printf("%s: %s after %d ms%n", what, line.text(), line.millis() - from);
    }
  }

  /// Waits until a node is down at another one.
  ///
  /// @return why it is no longer in touch
  static String awaitLoss(String what, long from, String other, NodeJvm at)
      throws InterruptedException {
    List<NodeJvm.Line> lines = at.waitForAll("DOWN " + other + " NO_CONNECTION", "LOST " + other);
    printTimes(what, from, lines.getFirst());
    return lines.getLast().text().split(" ", 4)[3];
  }

  static long millis(String loss) {
    return Long.parseLong(loss.replaceAll(".* for (\\d+) ms.*", "$1"));
  }

  @Test
  @Tag("proc-219")
  @Tag("proc-220")
  void kill_ofANode_isDownWithNoConnectionAtTheOthers_whichGoOn() throws Exception {
    List<NodeJvm> nodes = new ArrayList<>(threeNodes("killed"));
    // silence comes first only where a node has not run for five seconds
    while (!killedIsToldByItsConnection(nodes)) {
      assertThat(jvms).as("%s", nodes.get(0).all()).hasSizeLessThan(1 + KILLS);
      startAgain(nodes);
      for (NodeJvm one : nodes.subList(0, 2)) {
        watch(one, "killed");
      }
    }
    nodes.get(0).say("ask b");
    nodes.get(0).waitFor("REPLY b Reply[number=7]");
    startAgain(nodes);
    nodes.get(0).say("ask killed");
    nodes.get(0).waitFor("REPLY killed Reply[number=7]");
  }

  private boolean killedIsToldByItsConnection(List<NodeJvm> nodes) throws Exception {
    long from = System.currentTimeMillis();
    nodes.get(2).kill();
    boolean isTold = false;
    for (NodeJvm one : nodes.subList(0, 2)) {
      String loss = awaitLoss("kill -9", from, "killed", one);
      if (loss.startsWith("NO_ANSWER")) {
        isTold = true;
        assertThat(millis(loss)).as(loss).isGreaterThanOrEqualTo(PROBE_MILLIS);
      }
    }
    return isTold;
  }

  /// The same name again: another life, found by both.
  private void startAgain(List<NodeJvm> nodes) throws Exception {
    nodes.set(2, startThird("killed"));
    nodes.get(2).waitFor("READY");
    nodes.get(0).waitFor("UP killed");
    nodes.get(1).waitFor("UP killed");
  }

  @Test
  void leave_ofANode_isSeenByTheOthers() throws Exception {
    List<NodeJvm> nodes = threeNodes("leaver");
    long from = System.currentTimeMillis();
    nodes.get(2).say("leave");
    String down = "DOWN leaver";
    printTimes("leave", from, nodes.get(0).waitFor(down), nodes.get(1).waitFor(down));
    nodes.get(2).waitFor("HAS LEFT");
    nodes.get(0).say("ask b");
    nodes.get(0).waitFor("REPLY b");
  }

  @Test
  void ports_nothingBeforeJoin_thenOneAtTheAddressGiven() throws Exception {
    NodeJvm alone = NodeJvm.start(List.of("-Xlog:class+load:stdout:none"));
    jvms.add(alone);
    alone.waitFor("READY");
    assertThat(alone.listening()).isEmpty();
    assertThat(alone.all())
        .filteredOn(line -> line.contains("org.jgroups") || line.contains("tools.jackson"))
        .isEmpty();
    assertThat(alone.all()).anyMatch(line -> line.startsWith("dev.heddle.process.ProcessRuntime "));
    int port = TestPorts.next();
    NodeJvm node = start("alone", port, List.of(port));
    jvms.add(node);
    node.waitFor("READY");
    assertThat(node.listening()).containsExactly("127.0.0.1:" + port);
    // a second node at that port says who has it
    ClusterOptions second = ClusterOptions.named("b").bind("127.0.0.1", port);
    assertThatThrownBy(() -> Cluster.join(second))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "port %d of 127.0.0.1 is taken by process %d (java); stop it, or bind to another port"
                .formatted(port, node.pid()));
  }
}
