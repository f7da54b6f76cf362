// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.ports.TestPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// A node that looks for others by a host name, as of a headless service of Kubernetes: all nodes
/// there have one port, each at an address of its own. The name is in a file that the resolver of
/// the JDK reads at each question, in the JVM of that node.
@Timeout(300)
@EnabledOnOs(OS.LINUX) // elsewhere only one address of loopback is there without being set up
class DnsJoinTest {
  @Test
  void nameOfSeveralAddresses_isJoinedByAnyThatAnswers_andFollowedWhenItChanges(@TempDir Path dir)
      throws Exception {
    int port = TestPorts.next();
    Path hosts = dir.resolve("hosts");
    Files.writeString(hosts, "127.0.0.9 shop.test\n127.0.0.2 shop.test\n"); // nobody at the first
    List<String> resolver = List.of("-Djdk.net.hosts.file=" + hosts, "-Dsun.net.inetaddr.ttl=0");
    try (Cluster two = join("two", "127.0.0.2", port);
        Cluster three = join("three", "127.0.0.3", port);
        NodeJvm node = NodeJvm.start(resolver, "one", TestPorts.next(), "shop.test:" + port)) {
      node.waitFor("UP two");
      Files.writeString(hosts, "127.0.0.3 shop.test\n");
      node.waitFor("UP three");
      ClusterTest.awaitUp(three, "one");
      ClusterTest.awaitUp(two, "three"); // neither is a seed of the other: `one` tells them
    }
  }

  /// A node that knows no other.
  private static Cluster join(String name, String host, int port) throws Exception {
    return Cluster.join(ClusterOptions.named(name).bind(host, port).seeds(host + ":" + port));
  }
}
