// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.Packet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// A rolling upgrade of the wire, from version N-1 to N, of nodes in JVMs of their own. There is
/// one version yet, so the next release is a node that says it speaks one more.
@Timeout(900)
@EnabledOnOs(OS.LINUX) // where nodes in JVMs of their own are tested
@Execution(ExecutionMode.CONCURRENT) // each test has nodes of its own, and mostly waits for them
class ClusterJvmsUpgradeTest {
  private static final int OLD = Packet.VERSION;
  private static final int NEW = OLD + 1;
  private static final List<String> NAMES = List.of("a", "b", "c");

  private final NodeJvms nodes;

  ClusterJvmsUpgradeTest() throws Exception {
    nodes = new NodeJvms("a", "b", "c", "next");
  }

  @AfterEach
  void end() {
    nodes.close();
  }

  private NodeJvm start(String name, int oldest, int newest) throws Exception {
    return nodes.start(name, NodeProgram.property(NodeProgram.VERSIONS, oldest + "-" + newest));
  }

  /// In both directions.
  private void assertSpoken(String one, String other, int version) throws InterruptedException {
    nodes.exchange(one, other);
    assertThat(spoken(one, other)).isEqualTo("SPOKEN " + other + " " + version);
    assertThat(spoken(other, one)).isEqualTo("SPOKEN " + one + " " + version);
  }

  private String spoken(String at, String by) throws InterruptedException {
    nodes.node(at).say("spoken " + by);
    return nodes.node(at).waitFor("SPOKEN ").text();
  }

  @Test
  void nodesReplacedOneAfterTheOther_speakTheNewestCommonVersion_andLoseNoOtherSession()
      throws Exception {
    for (String name : NAMES) {
      start(name, OLD, OLD);
    }
    assertSpoken("a", "b", OLD);
    assertSpoken("a", "c", OLD);
    assertSpoken("b", "c", OLD);
    for (int i = 0; i < NAMES.size(); i++) {
      String name = NAMES.get(i);
      String one = NAMES.get((i + 1) % 3);
      String other = NAMES.get((i + 2) % 3);
      long ends = nodes.ends(one, other) + nodes.ends(other, one);
      nodes.node(name).say("leave");
      nodes.node(name).waitFor("HAS LEFT");
      nodes.awaitLeft(one, name);
      nodes.awaitLeft(other, name);
      nodes.node(name).close();
      start(name, OLD, NEW);
      assertSpoken(name, one, i == 2 ? NEW : OLD); // the first one was upgraded first
      assertSpoken(name, other, i == 0 ? OLD : NEW);
      nodes.exchange(one, other);
      assertThat(nodes.ends(one, other) + nodes.ends(other, one)).isEqualTo(ends);
    }
    for (String name : NAMES) {
      assertSpoken(name, NAMES.get((NAMES.indexOf(name) + 1) % 3), NEW);
    }
  }

  @Test
  void releaseThatHasLeftAVersionOut_joinsNoOldNode_bothSayBothRanges() throws Exception {
    start("a", OLD, OLD);
    start("b", OLD, NEW);
    NodeJvm next = start("next", NEW, NEW);
    assertSpoken("a", "b", OLD);
    assertSpoken("next", "b", NEW);
    String old = "%d to %d".formatted(OLD, OLD);
    String newest = "%d to %d".formatted(NEW, NEW);
    assertThat(nodes.awaitNodes("a", newest)).contains(old);
    assertThat(nodes.awaitNodes("next", old)).contains(newest);
    assertThat(next.all()).noneMatch(line -> line.contains(" UP a "));
    assertThat(nodes.node("a").all()).noneMatch(line -> line.contains(" UP next "));
  }
}
