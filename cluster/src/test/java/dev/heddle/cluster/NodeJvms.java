// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Nodes of one cluster on loopback, each in a JVM of its own, and each with a port that it keeps
/// over its restarts. All are killed by their processes at the end.
final class NodeJvms implements AutoCloseable {
  static final List<String> VOTERS = List.of("a", "b", "c");

  private static final long GUARD_NANOS = TimeUnit.MINUTES.toNanos(2); // only a fault takes as long

  // what a machine that stands still can do to a session; the other side is told of it
  private static final Pattern OF_TIME =
      Pattern.compile(" (SILENCE|NO_ANSWER|UNACKNOWLEDGED|ENDED_THERE): ");

  private static final long PAUSE_NANOS = 20_000_000; // leaves the processors to the nodes

  /// A question to a node.
  interface Question {
    String ask() throws InterruptedException;
  }

  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, NodeJvm> nodes = new TreeMap<>(); // the last one of each name
  private final List<NodeJvm> all = new ArrayList<>();

  NodeJvms(String... names) throws IOException {
    for (String name : names) {
      ports.put(name, TestPorts.next());
    }
  }

  /// Starts a node, or the next life of one.
  NodeJvm start(String name, String... jvmOptions) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(name, port(name)));
    arguments.addAll(ports.values());
    NodeJvm jvm = NodeJvm.start(List.of(jvmOptions), arguments.toArray());
    all.add(jvm);
    nodes.put(name, jvm);
    return jvm;
  }

  int port(String name) {
    return ports.get(name);
  }

  NodeJvm node(String name) {
    return nodes.get(name);
  }

  /// A message each way. Their session may be about to open.
  void exchange(String one, String other) throws InterruptedException {
    ask(one, other);
    ask(other, one);
  }

  private void ask(String from, String to) throws InterruptedException {
    node(from).say("ask " + to);
    node(from).waitFor("REPLY " + to);
  }

  /// How often a node has said that it is no longer in touch with another one, for a reason that
  /// the speed of the machine does not explain.
  long ends(String at, String other) {
    return node(at).all().stream()
        .filter(line -> line.matches("\\d{13} (LOST|LEFT) " + other + " .*"))
        .filter(line -> !OF_TIME.matcher(line).find())
        .count();
  }

  /// What a node tells of others, asked until it tells this.
  String awaitNodes(String at, String part) throws InterruptedException {
    return await(
        () -> {
          node(at).say("nodes");
          return node(at).waitFor("NODES ").text();
        },
        it -> it.contains(part));
  }

  /// Waits until a node has said that another one has left. A machine that stands still may have
  /// ended their session before.
  void awaitLeft(String at, String other) throws InterruptedException {
    String said = node(at).waitFor("LEFT " + other, "LOST " + other).text();
    assertThat(said.startsWith("LEFT") || OF_TIME.matcher(said).find()).as(said).isTrue();
  }

  // ---- names ----

  /// Starts three voters, if they do not run: `a`, `b` and `c`.
  void startVoters(Path folder, int leaseMillis) throws IOException {
    for (String name : VOTERS) {
      startVoter(name, folder.resolve(name), leaseMillis);
    }
  }

  NodeJvm startVoter(String name, Path directory, int leaseMillis) throws IOException {
    return start(
        name,
        NodeProgram.property(NodeProgram.VOTERS, String.join(",", VOTERS)),
        NodeProgram.property(NodeProgram.DIRECTORY, directory),
        NodeProgram.property(NodeProgram.LEASE, leaseMillis));
  }

  /// Tries once: `REGISTERED NAME TOKEN`, `TAKEN NAME NODE LIFE` or `NO MAJORITY NAME WHY`.
  String register(String at, String name) throws InterruptedException {
    node(at).say("register " + name);
    return node(at).waitFor("REGISTERED ", "TAKEN ", "NO MAJORITY ").text();
  }

  /// Tries until the name is registered.
  ///
  /// @return its token
  long awaitRegistered(String at, String name) throws InterruptedException {
    String said = await(() -> register(at, name), it -> it.startsWith("REGISTERED "));
    return Long.parseLong(said.split(" ")[2]);
  }

  /// What a node says of its token of a name: `none` when it may not act.
  String token(String at, String name) throws InterruptedException {
    node(at).say("token " + name);
    return node(at).waitFor("TOKEN ").text().split(" ")[2];
  }

  /// The node that leads the voters.
  String awaitLeader() throws InterruptedException {
    return await(this::leader, it -> !it.isEmpty());
  }

  private String leader() throws InterruptedException {
    for (String name : VOTERS) {
      if (node(name).isAlive()) {
        node(name).say("leads");
        if (node(name).waitFor("LEADS ").text().endsWith("true")) {
          return name;
        }
      }
    }
    return "";
  }

  /// Waits until one of the nodes that live has logged a line with this.
  void awaitLine(String pattern) throws InterruptedException {
    Pattern part = Pattern.compile(pattern);
    String _ =
        await(
            () ->
                nodes.values().stream()
                    .flatMap(node -> node.all().stream())
                    .filter(line -> part.matcher(line).find())
                    .findFirst()
                    .orElse(""),
            it -> !it.isEmpty());
  }

  /// Asks something that changes nothing, again and again, until the answer is the right one.
  String await(Question question, Predicate<String> isRight) throws InterruptedException {
    long end = System.nanoTime() + GUARD_NANOS;
    String said = question.ask();
    while (!isRight.test(said)) {
      if (System.nanoTime() - end > 0) {
        nodes.forEach((name, node) -> System.out.println(name + ": " + node.all()));
        throw new AssertionError("still '" + said + "'");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      said = question.ask();
    }
    return said;
  }

  @Override
  public void close() {
    all.forEach(NodeJvm::close);
  }
}
