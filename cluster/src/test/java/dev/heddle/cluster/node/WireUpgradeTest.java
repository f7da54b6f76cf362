// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.process.Pid;
import dev.heddle.process.SendResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A rolling upgrade of the wire: nodes of the next release, which speak one version more, replace
/// nodes of this one. There is one version yet, so the next release is a node with a wider range.
@Timeout(300)
final class WireUpgradeTest {
  private static final int OLD = Packet.VERSION;
  private static final int NEW = OLD + 1;

  private final LocalEngines engines = new LocalEngines();
  private final List<RunningNode> nodes = new ArrayList<>();
  private final Map<String, Integer> spoken = new ConcurrentHashMap<>(); // by "from-to", the last

  /// Notes the version of the numbered packets that a node sends.
  private final class Noting implements Engine {
    private final String from;
    private final Engine engine;

    Noting(String from) {
      this.from = from;
      this.engine = engines.engine(from);
    }

    @Override
    public void open(Listener listener) throws IOException {
      engine.open(listener);
    }

    @Override
    public Address address() {
      return engine.address();
    }

    @Override
    public void send(Address to, byte[] packet, Urgency urgency) {
      if (urgency == Urgency.IN_ORDER) {
        spoken.put(from + "-" + to, (int) packet[2]);
      }
      engine.send(to, packet, urgency);
    }

    @Override
    public void forget(Address address) {
      engine.forget(address);
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private RunningNode start(String name, int oldest, int newest) {
    RunningNode node = new RunningNode("shop", name, new Noting(name), oldest, newest);
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(RunningNode::close);
  }

  /// A message each way.
  private static void exchange(RunningNode a, RunningNode b) throws InterruptedException {
    Pid atA = a.spawn();
    Pid atB = b.spawn();
    a.in(atA, self -> self.offer(atB, "from " + atA.node()));
    assertThat(b.take()).isEqualTo("from " + atA.node());
    assertThat(b.<SendResult>in(atB, self -> self.offer(atA, "from " + atB.node())))
        .isEqualTo(SendResult.ACCEPTED);
    assertThat(a.take()).isEqualTo("from " + atB.node());
  }

  private static void awaitSession(RunningNode a, RunningNode b) throws InterruptedException {
    a.awaitSession(b.node.self().node());
    b.awaitSession(a.node.self().node());
  }

  @Test
  void nodesReplacedOneAfterTheOther_speakTheNewestCommonVersion_andLoseNoOtherSession()
      throws InterruptedException {
    List<RunningNode> now = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      now.add(start(name, OLD, OLD));
    }
    awaitSession(now.get(0), now.get(1));
    awaitSession(now.get(0), now.get(2));
    awaitSession(now.get(1), now.get(2));
    for (int i = 0; i < 3; i++) {
      RunningNode one = now.get((i + 1) % 3);
      RunningNode two = now.get((i + 2) % 3);
      String name = now.get(i).node.self().node();
      now.get(i).close();
      one.awaitEnd(name);
      two.awaitEnd(name);
      RunningNode upgraded = start(name, OLD, NEW);
      now.set(i, upgraded);
      awaitSession(one, upgraded);
      awaitSession(two, upgraded);
      exchange(upgraded, one);
      exchange(upgraded, two);
      exchange(one, two);
      // the two others are still in the session that they had
      assertThat(one.unread()).noneMatch(it -> isEndOf(it, two));
      assertThat(two.unread()).noneMatch(it -> isEndOf(it, one));
      assertSpoken(name, one.node.self().node(), one == now.get(0) && i > 0 ? NEW : OLD);
    }
    for (String pair : List.of("a-b", "b-c", "a-c", "b-a", "c-b", "c-a")) {
      assertThat(spoken).containsEntry(pair, NEW);
    }
  }

  private static boolean isEndOf(ClusterNode.Change change, RunningNode node) {
    return change.ending() != null && change.node().equals(node.node.self());
  }

  private void assertSpoken(String one, String other, int version) {
    assertThat(spoken).containsEntry(one + "-" + other, version);
    assertThat(spoken).containsEntry(other + "-" + one, version);
  }

  @Test
  void nodesWithoutACommonVersion_haveNoSession_andSayBothRanges() throws InterruptedException {
    RunningNode a = start("a", OLD, OLD);
    RunningNode b = start("b", OLD, NEW);
    RunningNode c = start("c", NEW, NEW);
    awaitSession(a, b);
    awaitSession(b, c);
    exchange(a, b);
    exchange(b, c);
    assertSpoken("a", "b", OLD);
    assertSpoken("b", "c", NEW);
    awaitRefusal(a);
    awaitRefusal(c);
    assertThat(a.node.node("c")).isNull();
    assertThat(c.node.node("a")).isNull();
  }

  private static void awaitRefusal(RunningNode node) {
    String old = "%d to %d".formatted(OLD, OLD);
    String next = "%d to %d".formatted(NEW, NEW);
    while (node.node.nodes().stream()
        .map(it -> "" + it.refusal())
        .noneMatch(it -> it.contains(old) && it.contains(next))) {
      Thread.onSpinWait();
    }
  }
}
