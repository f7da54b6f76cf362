// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Certificates;
import dev.heddle.cluster.node.OtherVersion;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.ports.TestPorts;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node as management tools see it, over real sockets of loopback.
@Timeout(600)
class ClusterBeanTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  @TempDir static Path dir;

  private static Certificates ours;
  private static Path keysOfA;

  @BeforeAll
  static void certificates() throws Exception {
    ours = Certificates.in(dir.resolve("ours"));
    keysOfA = ours.keys("a");
  }

  private static ObjectName nameOf(String node) throws Exception {
    return new ObjectName("dev.heddle:type=Cluster,name=" + node);
  }

  private static ClusterMXBean bean(String node) throws Exception {
    return JMX.newMXBeanProxy(SERVER, nameOf(node), ClusterMXBean.class);
  }

  private static ClusterOptions options(String name, int port, int... seeds) {
    return ClusterOptions.named(name)
        .cluster("bean")
        .bind("127.0.0.1", port)
        .seeds(
            java.util.Arrays.stream(seeds)
                .mapToObj(one -> "127.0.0.1:" + one)
                .toArray(String[]::new));
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) { // the guard is that of the class
      LockSupport.parkNanos(5_000_000); // between two looks
    }
  }

  private static boolean isShown(Cluster cluster, String reason) {
    return cluster.nodes().stream()
        .anyMatch(node ->
            node.state() == NodeInfo.State.GREETING
                && node.reason() != null
                && node.reason().contains(reason));
  }

  @Test
  void bean_showsNodesInTouch_thenTheEnd_andIsGoneAfterLeaving() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (Cluster one = Cluster.join(options("bean-a", a, a, b).labels(Map.of("role", "front")))) {
      ClusterMXBean bean = bean("bean-a");
      assertThat(bean.getCluster()).isEqualTo("bean");
      assertThat(bean.getAddress()).isEqualTo("127.0.0.1:" + a);
      try (Cluster two = Cluster.join(options("bean-b", b, a, b).labels(Map.of("role", "back")))) {
        ClusterTest.awaitUp(one, "bean-b");
        await(() -> bean.getNodes().get(1).roundTripMicros() >= 0);
        assertThat(bean.getNodesInTouch()).isEqualTo(1);
        assertThat(bean.getNodes())
            .extracting(ClusterMXBean.Node::name, ClusterMXBean.Node::state)
            .containsExactly(
                org.assertj.core.groups.Tuple.tuple("bean-a", "UP"),
                org.assertj.core.groups.Tuple.tuple("bean-b", "UP"));
        assertThat(bean.getNodes().get(1).labels()).isEqualTo(Map.of("role", "back"));
        assertThat(bean.table()).contains("bean-b  UP ", "role=back");
        assertThat(bean.getBrokenPairs()).isEmpty();
        two.leave(ofMinutes(1));
        assertThat(SERVER.isRegistered(nameOf("bean-b"))).isFalse();
      }
      await(() -> bean.getNodesInTouch() == 0);
      ClusterMXBean.Node left = bean.getNodes().get(1);
      assertThat(left.state()).isEqualTo("LEFT");
      assertThat(left.reason()).startsWith("LEFT: ");
      assertThat(left.endedAtMillis()).isPositive();
    }
    assertThat(SERVER.isRegistered(nameOf("bean-a"))).isFalse();
  }

  @Test
  void nodeOfAnotherCluster_isShownWithBothNames() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (Cluster one = Cluster.join(options("here", a, a, b));
        Cluster two = Cluster.join(options("there", b, a, b).cluster("other"))) {
      await(() -> isShown(one, "node 'there' is of cluster 'other', node 'here' of 'bean'"));
      await(() -> isShown(two, "of cluster"));
      assertThat(bean("here").table()).contains("there ", "GREETING", "  node 'there' is of");
    }
  }

  @Test
  void nameThatLivesElsewhere_isShownWithBothLives() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (Cluster one = Cluster.join(options("twin", a, a, b));
        Cluster two = Cluster.join(options("twin", b, a, b))) {
      await(() -> isShown(one, "another node is named 'twin': lives "));
      await(() -> isShown(two, "another node is named 'twin': lives "));
    }
  }

  private static ClusterOptions secure(String name, Path keys, int port) throws Exception {
    String password = new String(Certificates.PASSWORD);
    return options(name, port, port).certificates(keys, ours.trusted(), password);
  }

  @Test
  void plainAgainstTls_isShownByAddress_onBothSides() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    try (Cluster one = Cluster.join(secure("secure", keysOfA, a));
        Cluster plain = Cluster.join(options("plain", b, a))) {
      await(() -> isShown(one, "it speaks no TLS, this node does"));
      await(() -> isShown(plain, "it wants TLS, this node speaks none"));
      assertThat(bean("plain").table()).contains("GREETING to 127.0.0.1:" + a + ": it wants TLS");
    }
  }

  @Test
  void certificateOfNoAuthority_isShownByAddress_onBothSides() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    Path keys = Certificates.selfSigned(dir, "stranger");
    try (Cluster one = Cluster.join(secure("trusted", keysOfA, a));
        Cluster other = Cluster.join(secure("stranger", keys, b).seeds("127.0.0.1:" + a))) {
      await(() -> isShown(one, "certificates do not fit"));
      await(() -> isShown(other, "certificates do not fit"));
      assertThat(bean("trusted").table())
          .contains(
              "GREETING from 127.0.0.1: certificates do not fit (it has none of an authority that");
      assertThat(bean("stranger").table())
          .contains("GREETING to 127.0.0.1:" + a, "(that of this node is refused: ");
      assertThat(bean("trusted").getNodesInTouch()).isZero();
    }
  }

  @Test
  void nodeWithoutACommonVersion_isShownWithBothRanges_onBothSides() throws Exception {
    int a = TestPorts.next();
    int b = TestPorts.next();
    String older = "%d to %d".formatted(Packet.OLDEST_VERSION, Packet.VERSION);
    String newer = "%d to %d".formatted(Packet.VERSION + 1, Packet.VERSION + 2);
    try (Cluster one = Cluster.join(options("older", a, a, b));
        OtherVersion two =
            OtherVersion.join("bean", "newer", b, a, Packet.VERSION + 1, Packet.VERSION + 2)) {
      await(() -> isShown(one, newer));
      assertThat(bean("older").table()).contains("newer", "GREETING", older, newer);
      var other = new ClusterBean(options("newer", b, a), two.node(), two.engine(), () -> null);
      await(() -> other.table().contains(older));
      assertThat(other.table()).contains("older", "GREETING", older, newer);
    }
  }
}
