// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.engine.Certificates;
import dev.heddle.cluster.engine.HostileBytes;
import dev.heddle.ports.TestPorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Nodes in JVMs of their own, whose ports get what no node of theirs sends: they go on, in the
/// sessions that they have, and keep nothing of it.
@Timeout(900)
@EnabledOnOs(OS.LINUX) // where descriptors are counted
@Execution(ExecutionMode.CONCURRENT) // each test has nodes of its own, and mostly waits for them
class ClusterJvmsAttackedTest {
  private static final int ATTACKS = 20;
  private static final int PACKETS = 100;
  private static final long MORE_HEAP_KIB = 4_096; // caches of JGroups and of the JDK

  @TempDir Path folder;

  private final NodeJvms nodes;

  ClusterJvmsAttackedTest() throws Exception {
    nodes = new NodeJvms("a", "b", "x");
  }

  @AfterEach
  void end() {
    nodes.close();
  }

  /// Two nodes that watch each other.
  private void inTouch(String one, String other) throws InterruptedException {
    watch(one, other);
    watch(other, one);
    nodes.exchange(one, other);
  }

  private void watch(String one, String other) throws InterruptedException {
    nodes.node(one).say("watch " + other);
    nodes.node(one).waitFor("WATCHES " + other);
  }

  private void assertSameSession(String one, String other) throws InterruptedException {
    nodes.exchange(one, other);
    assertThat(nodes.ends(one, other)).as("ends seen by " + one).isZero();
    assertThat(nodes.ends(other, one)).as("ends seen by " + other).isZero();
  }

  /// Heap in KiB, threads, descriptors.
  private List<Long> measure(String name) throws InterruptedException {
    nodes.node(name).say("measure");
    String[] words = nodes.node(name).waitFor("MEASURED ").text().split(" ");
    List<Long> numbers = new ArrayList<>();
    for (int i = 1; i < words.length; i++) {
      numbers.add(Long.parseLong(words[i]));
    }
    return numbers;
  }

  @Test
  void hostileBytesAndPackets_harmNeitherTheNodeNorItsSession_andAllocateNothingLarge()
      throws Exception {
    // an allocation of what they announce would end this JVM
    nodes.start("a", "-Xmx48m", "-XX:+ExitOnOutOfMemoryError", "-XX:+UseSerialGC");
    nodes.start("b");
    inTouch("a", "b");
    List<Long> before = measure("a");
    for (int i = 0; i < ATTACKS; i++) {
      HostileBytes.send(nodes.port("a"), HostileBytes.all());
    }
    HostileBytes.sendPackets(TestPorts.next(), PACKETS, nodes.port("a"));
    assertSameSession("a", "b");
    List<Long> after = measure("a");
    while (after.get(2) > before.get(2)) { // until the last connections are closed
      after = measure("a");
    }
    System.out.println("heap, threads, descriptors: " + before + ", then " + after);
    assertThat(after.get(0)).as("heap, KiB").isLessThan(before.get(0) + MORE_HEAP_KIB);
    assertThat(nodes.node("a").isAlive()).isTrue();
  }

  @Test
  void certificateThatTheOthersDoNotTrust_joinsNoNode_bothSeeIt_andTheOthersGoOn()
      throws Exception {
    Certificates ours = Certificates.in(folder.resolve("ours"));
    start("a", ours.keys("a"), ours);
    start("b", ours.keys("b"), ours);
    inTouch("a", "b");
    NodeJvm stranger = start("x", Certificates.selfSigned(folder, "x"), ours);
    String refused = " is GREETING: certificates do not fit";
    nodes.awaitNodes("a", "to 127.0.0.1:" + nodes.port("x") + refused);
    nodes.awaitNodes("x", "to 127.0.0.1:" + nodes.port("a") + refused);
    assertSameSession("a", "b");
    assertThat(stranger.all()).noneMatch(line -> line.contains(" UP "));
    for (String name : List.of("a", "b")) {
      assertThat(nodes.node(name).all()).noneMatch(line -> line.contains(" UP x"));
    }
  }

  private NodeJvm start(String name, Path keys, Certificates trusted) throws Exception {
    return nodes.start(
        name,
        NodeProgram.property(NodeProgram.KEYS, keys),
        NodeProgram.property(NodeProgram.TRUST, trusted.trusted()));
  }
}
