// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Three nodes in JVMs and network namespaces of their own, whose network is cut and healed. How
/// long a detection took is printed, not asserted.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(OS.LINUX)
class ClusterNamespacesTest {
  private static final int PORT = 7600;
  private static final int FLAPS = 5;

  private final List<NodeJvm> jvms = new ArrayList<>();
  private Namespaces network;

  @BeforeEach
  void connect() throws InterruptedException {
    try {
      network = new Namespaces(List.of("a", "b", "c"));
    } catch (IOException e) {
      String why = "SKIPPED: no network namespaces here: " + e.getMessage();
      System.out.println(why);
      abort(why);
    }
  }

  @AfterEach
  void end() throws IOException, InterruptedException {
    for (NodeJvm jvm : jvms) {
      jvm.close();
    }
    if (network != null) {
      network.close();
    }
  }

  private NodeJvm start(String name) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(name, network.address(name) + ":" + PORT));
    for (String seed : List.of("a", "b", "c")) {
      arguments.add(network.address(seed) + ":" + PORT);
    }
    NodeJvm jvm =
        NodeJvm.startBy(network.command(name), NodeProgram.class, List.of(), arguments.toArray());
    jvms.add(jvm);
    return jvm;
  }

  private static void exchange(NodeJvm from, String to) throws InterruptedException {
    from.say("ask " + to);
    from.waitFor("REPLY " + to);
  }

  private static void watch(NodeJvm from, String other) throws InterruptedException {
    from.say("watch " + other);
    from.waitFor("WATCHES " + other);
  }

  private static void print(String what, long from, NodeJvm.Line line) {
    System.out.printf("%s: %s after %d ms%n", what, line.text(), line.millis() - from);
  }

  @Test
  @Tag("C4")
  void cuts_ofOneNode_ofAPair_andFlapping_areSeen_andHeal() throws Exception {
    NodeJvm a = start("a");
    NodeJvm b = start("b");
    NodeJvm c = start("c");
    for (NodeJvm one : List.of(a, b)) {
      one.waitFor("UP c");
      watch(one, "c");
    }
    exchange(a, "b");
    assertThat(a.all())
        .anyMatch(
            it -> it.contains("listens at") && it.contains("without encryption (insecure())"));
    cutOffC(a, b, c);
    cutPair(a, b, c);
    flap(a, b, c);
  }

  private void cutOffC(NodeJvm a, NodeJvm b, NodeJvm c) throws Exception {
    long cut = System.currentTimeMillis();
    network.cutOff("c");
    print("cut 1:2", cut, a.waitFor("DOWN c NO_CONNECTION"));
    print("cut 1:2", cut, b.waitFor("DOWN c NO_CONNECTION"));
    exchange(a, "b");
    long healed = System.currentTimeMillis();
    network.heal("c");
    print("heal 1:2", healed, a.waitFor("UP c"));
    print("heal 1:2", healed, b.waitFor("UP c"));
    exchange(a, "c");
    exchange(c, "b");
  }

  /// Node b goes on with both. It may lose one for a moment where nothing runs for a second: that a
  /// closed connection alone ends no session is proved in virtual time, by [ClosedConnectionTest].
  private void cutPair(NodeJvm a, NodeJvm b, NodeJvm c) throws Exception {
    watch(a, "c");
    int lostByB = losses(b).size();
    long cut = System.currentTimeMillis();
    network.cutPair("a", "c");
    print("cut pair", cut, a.waitFor("DOWN c NO_CONNECTION"));
    print("cut pair", cut, c.waitFor("LOST a"));
    exchange(a, "b");
    exchange(c, "b");
    System.out.printf("cut pair: losses of b: %s%n", losses(b).subList(lostByB, losses(b).size()));
    long healed = System.currentTimeMillis();
    network.healPair("a", "c");
    print("heal pair", healed, a.waitFor("UP c"));
    exchange(c, "a");
  }

  private void flap(NodeJvm a, NodeJvm b, NodeJvm c) throws Exception {
    for (int i = 0; i < FLAPS; i++) {
      network.cutOff("c");
      exchange(a, "b"); // that long it is cut off
      network.heal("c");
      exchange(b, "a");
    }
    exchange(a, "c");
    exchange(b, "c");
    exchange(c, "a");
  }

  private static List<String> losses(NodeJvm node) {
    return node.all().stream().filter(line -> line.contains(" LOST ")).toList();
  }

  /// Of a killed program, which cannot delete them by itself.
  @Test
  void namespaces_ofAProgramThatIsKilled_areDeleted() throws Exception {
    NodeJvm program = NodeJvm.start(Namespaces.class, List.of());
    jvms.add(program);
    String prefix = program.waitFor("MADE ").text().substring("MADE ".length());
    assertThat(Namespaces.count(prefix)).isEqualTo(2); // a and the hub
    program.kill();
    while (Namespaces.count(prefix) != 0) { // the guard of this class ends it
      Thread.onSpinWait();
    }
  }
}
