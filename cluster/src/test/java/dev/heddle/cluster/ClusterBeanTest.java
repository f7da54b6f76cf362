// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Certificates;
import dev.heddle.cluster.engine.TestPorts;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node as management tools see it, over real sockets of loopback.
@Timeout(600)
class ClusterBeanTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

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
      Thread.onSpinWait();
      Thread.yield();
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

  @Test
  void plainAgainstTls_isShownByAddress_onBothSides(@TempDir Path dir) throws Exception {
    Certificates ours = Certificates.in(dir.resolve("ours"));
    String password = new String(Certificates.PASSWORD);
    int a = TestPorts.next();
    int b = TestPorts.next();
    ClusterOptions secure =
        options("secure", a, a).certificates(ours.keys("a"), ours.trusted(), password);
    try (Cluster one = Cluster.join(secure);
        Cluster plain = Cluster.join(options("plain", b, a))) {
      await(() -> isShown(one, "it speaks no TLS, this node does"));
      await(() -> isShown(plain, "it wants TLS, this node speaks none"));
      assertThat(bean("plain").table()).contains("GREETING to 127.0.0.1:" + a + ": it wants TLS");
    }
  }
}
