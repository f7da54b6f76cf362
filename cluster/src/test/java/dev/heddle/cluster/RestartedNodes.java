// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// The names of a node that leaves, or is killed and starts again with the same name: in its
/// directory, which proves that its former life is over, or in another one, which proves nothing.
/// And what the loss of the leader costs.
///
/// It needs the log of voters, so the module of that log runs it; its name keeps it out of this
/// one's run. What must come before a lease is over, or must not, is tested with a lease that
/// outlives the guard of each step: so it holds at any speed. Where a lease is to end, all nodes
/// have a short one, by which the next owner may lose the name, too. How long it takes is measured
/// by [OwnerTimes].
@Timeout(900)
@EnabledOnOs(OS.LINUX) // where nodes in JVMs of their own are tested
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RestartedNodes {
  private static final int LONG_LEASE = 600_000; // ms; the guard of a step is two minutes
  private static final int SHORT_LEASE = 4_000;

  @TempDir static Path folder;

  /// With long leases, of all tests that run one after the other: each starts again what the last
  /// one has ended. Names are of one test.
  private static NodeJvms shared;

  @BeforeAll
  static void needsVoters() throws Exception {
    String why =
        "SKIPPED: there is no log of voters here; the module of that log runs this class:"
            + " ./mvnw -pl core,process,cluster,cluster-ratis test";
    if (!ClusterSoakTest.hasNames()) {
      System.out.println(why);
      abort(why);
    }
    shared = new NodeJvms("a", "b", "c");
    shared.startVoters(folder, LONG_LEASE);
  }

  @AfterAll
  static void endShared() {
    if (shared != null) {
      shared.close();
    }
  }

  /// The three with long leases, all of which run, in the directories of their names.
  private static NodeJvms voters() throws Exception {
    for (String name : NodeJvms.VOTERS) {
      if (!shared.node(name).isAlive()) {
        startAgain(shared, name, folder.resolve(name), LONG_LEASE);
      }
    }
    return shared;
  }

  private static void startAgain(NodeJvms nodes, String name, Path directory, int lease)
      throws Exception {
    nodes.startVoter(name, directory, lease).waitFor("READY");
  }

  @Test
  @Tag("C6")
  void sameDirectory_andLeave_freeTheNamesAtOnce_theNextOwnerHasAHigherToken() throws Exception {
    NodeJvms nodes = voters();
    long first = nodes.awaitRegistered("c", "mayor");
    assertThat(nodes.register("a", "mayor")).startsWith("TAKEN mayor c");
    nodes.node("c").kill();
    startAgain(nodes, "c", folder.resolve("c"), LONG_LEASE);
    // the lease would go on for minutes: only the proof ends it
    long second = nodes.awaitRegistered("a", "mayor");
    assertThat(second).isGreaterThan(first);
    long clerk = nodes.awaitRegistered("c", "clerk"); // the new life may own names
    assertThat(clerk).isGreaterThan(second);
    assertThat(nodes.register("c", "mayor")).startsWith("TAKEN mayor a");
    nodes.node("c").say("leave");
    nodes.node("c").waitFor("HAS LEFT");
    nodes.node("c").close();
    assertThat(nodes.awaitRegistered("b", "clerk")).isGreaterThan(clerk);
  }

  @Test
  @Tag("C6")
  void lossOfTheLeader_costsNoLease_andTheLogAnswersAgain() throws Exception {
    NodeJvms nodes = voters();
    for (String name : NodeJvms.VOTERS) {
      nodes.awaitRegistered(name, "of-" + name);
    }
    String leader = nodes.awaitLeader();
    List<String> others = new ArrayList<>(NodeJvms.VOTERS);
    others.remove(leader);
    List<String> before = tokens(nodes, others);
    nodes.node(leader).kill();
    for (String name : others) {
      nodes.awaitRegistered(name, "more-of-" + name);
      // that of the dead one is not free before its lease is over
      assertThat(nodes.register(name, "of-" + leader)).startsWith("TAKEN of-" + leader);
    }
    assertThat(tokens(nodes, others)).isEqualTo(before).doesNotContain("none");
  }

  private static List<String> tokens(NodeJvms nodes, List<String> owners)
      throws InterruptedException {
    List<String> tokens = new ArrayList<>();
    for (String name : owners) {
      tokens.add(nodes.token(name, "of-" + name));
    }
    return tokens;
  }

  @Test
  @Tag("C6")
  @Order(Integer.MAX_VALUE) // the voters are not those of before
  void anotherDirectory_leavesTheNamesToTheFormerLife_asLongAsItsLease() throws Exception {
    NodeJvms nodes = voters();
    nodes.awaitRegistered("c", "judge");
    String owner = nodes.register("a", "judge");
    assertThat(owner).startsWith("TAKEN judge c");
    nodes.node("c").kill();
    startAgain(nodes, "c", folder.resolve("c-2"), LONG_LEASE);
    nodes.exchange("a", "c"); // it is in touch
    nodes.awaitNodes("c", "no lease yet: an earlier life of this node holds the lease");
    assertThat(nodes.register("a", "judge")).isEqualTo(owner); // the life too
  }

  @Test
  @Tag("C6")
  @Execution(ExecutionMode.CONCURRENT) // it has nodes of its own, and mostly waits for them
  void anotherDirectory_isAdmittedAfterTheLease_andVotesInPlaceOfTheLostDisk(@TempDir Path own)
      throws Exception {
    try (NodeJvms nodes = new NodeJvms("a", "b", "c")) {
      nodes.startVoters(own, SHORT_LEASE);
      long first = nodes.awaitRegistered("c", "mayor");
      nodes.node("c").kill();
      startAgain(nodes, "c", own.resolve("c-2"), SHORT_LEASE);
      long second = nodes.awaitRegistered("c", "mayor");
      assertThat(second).isGreaterThan(first);
      // without it two of three voters would be lost
      nodes.awaitLine("voter 'c#%s' votes now".formatted(directoryId(own.resolve("c-2"))));
      nodes.node("b").kill(); // now a majority needs the voter with the new disk
      assertThat(nodes.awaitRegistered("a", "clerk")).isGreaterThan(second);
      assertOwns(nodes, "c", second, "a");
    }
  }

  /// Whether another node finds the mayor taken by this one. On a slow machine its lease may have
  /// ended: then the other one gets the name, with a higher token.
  private static void assertOwns(NodeJvms nodes, String owner, long token, String other)
      throws InterruptedException {
    String said =
        nodes.await(
            () -> nodes.register(other, "mayor"),
            it -> it.startsWith("REGISTERED ") || it.startsWith("TAKEN mayor " + owner));
    if (said.startsWith("REGISTERED ")) {
      assertThat(Long.parseLong(said.split(" ")[2])).isGreaterThan(token);
    }
  }

  private static String directoryId(Path directory) throws IOException {
    return Files.readAllLines(directory.resolve("node")).get(2);
  }

  /// Longer than its lease: a process cannot see that it has stood still before it looks.
  @Test
  @Tag("C6")
  @Execution(ExecutionMode.CONCURRENT) // the same
  void stoppedOwner_losesItsNames_andActsNoMore_whenItGoesOn(@TempDir Path own) throws Exception {
    try (NodeJvms nodes = new NodeJvms("a", "b", "c")) {
      nodes.startVoters(own, SHORT_LEASE);
      long first = nodes.awaitRegistered("c", "mayor");
      nodes.node("c").signal("STOP");
      long second = nodes.awaitRegistered("a", "mayor"); // its lease is over
      assertThat(second).isGreaterThan(first);
      nodes.node("c").signal("CONT");
      assertThat(nodes.token("c", "mayor")).isEqualTo("none");
      assertThat(nodes.awaitRegistered("c", "clerk")).isGreaterThan(second); // admitted again
      assertOwns(nodes, "a", second, "c");
    }
  }

  @Test
  void voters_listenAtOnePortEach_thatOfTheCluster() throws Exception {
    NodeJvms nodes = voters();
    nodes.awaitRegistered("a", "guard"); // so they talk with each other
    for (String name : NodeJvms.VOTERS) {
      assertThat(nodes.node(name).listening()).containsExactly("127.0.0.1:" + nodes.port(name));
    }
  }
}
