// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.TestPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Three nodes, each in a JVM of its own. How long a detection took is printed, not asserted.
@Timeout(900)
@EnabledOnOs(OS.LINUX) // for signals and /proc
class ClusterJvmsTest {
  private final List<NodeJvm> jvms = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (NodeJvm jvm : jvms) {
      jvm.close();
    }
  }

  private NodeJvm start(String name, int port, List<Integer> seeds) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(name, port));
    arguments.addAll(seeds);
    NodeJvm jvm = NodeJvm.start(List.of(), arguments.toArray());
    jvms.add(jvm);
    return jvm;
  }

  private static List<Integer> ports() throws IOException {
    return List.of(TestPorts.next(), TestPorts.next(), TestPorts.next());
  }

  /// Three nodes in touch: `a` and `b` each watch a process of `c`.
  private List<NodeJvm> threeNodes(List<Integer> ports) throws Exception {
    NodeJvm a = start("a", ports.get(0), ports);
    NodeJvm b = start("b", ports.get(1), ports);
    NodeJvm c = start("c", ports.get(2), ports);
    for (NodeJvm one : List.of(a, b)) {
      one.waitFor("UP c");
      one.say("watch c");
      one.waitFor("WATCHES c");
    }
    return List.of(a, b, c);
  }

  private static void printTimes(String what, long from, NodeJvm.Line... lines) {
    for (NodeJvm.Line line : lines) {
      System.out.printf("%s: %s after %d ms%n", what, line.text(), line.millis() - from);
    }
  }

  @Test
  @Tag("proc-219")
  @Tag("proc-220")
  void kill_ofANode_isDownWithNoConnectionAtTheOthers_whichGoOn() throws Exception {
    List<Integer> ports = ports();
    List<NodeJvm> nodes = threeNodes(ports);
    long from = System.currentTimeMillis();
    nodes.get(2).kill();
    printTimes(
        "kill -9",
        from,
        nodes.get(0).waitFor("DOWN c NO_CONNECTION"),
        nodes.get(1).waitFor("DOWN c NO_CONNECTION"));
    nodes.get(0).say("ask b");
    nodes.get(0).waitFor("REPLY b Reply[number=7]");
    // The same name again: another life, found by both.
    NodeJvm again = start("c", ports.get(2), ports);
    again.waitFor("READY");
    nodes.get(0).waitFor("UP c");
    nodes.get(1).waitFor("UP c");
    nodes.get(0).say("ask c");
    nodes.get(0).waitFor("REPLY c Reply[number=7]");
  }

  @Test
  void leave_ofANode_isSeenByTheOthers() throws Exception {
    List<NodeJvm> nodes = threeNodes(ports());
    long from = System.currentTimeMillis();
    nodes.get(2).say("leave");
    printTimes("leave", from, nodes.get(0).waitFor("DOWN c"), nodes.get(1).waitFor("DOWN c"));
    nodes.get(2).waitFor("HAS LEFT");
    nodes.get(0).say("ask b");
    nodes.get(0).waitFor("REPLY b");
  }

  @Test
  void stoppedNode_isDown_andLearnsAtOnceWhenItIsResumed_thenIsBack() throws Exception {
    List<NodeJvm> nodes = threeNodes(ports());
    NodeJvm c = nodes.get(2);
    c.waitFor("UP a");
    long from = System.currentTimeMillis();
    c.signal("STOP");
    printTimes(
        "SIGSTOP",
        from,
        nodes.get(0).waitFor("DOWN c NO_CONNECTION"),
        nodes.get(1).waitFor("DOWN c NO_CONNECTION"));
    nodes.get(0).say("ask b"); // the others go on
    nodes.get(0).waitFor("REPLY b");
    long resumed = System.currentTimeMillis();
    c.signal("CONT");
    printTimes("SIGCONT", resumed, c.waitFor("LOST"));
    NodeJvm.Line up = nodes.get(0).waitFor("UP c");
    nodes.get(1).waitFor("UP c");
    printTimes("SIGCONT", resumed, up);
    nodes.get(0).say("ask c");
    nodes.get(0).waitFor("REPLY c");
  }

  @Test
  void ports_nothingBeforeJoin_thenOneAtTheAddressGiven() throws Exception {
    NodeJvm alone = NodeJvm.start(List.of("-Xlog:class+load:stdout:none"));
    jvms.add(alone);
    alone.waitFor("READY");
    assertThat(listening(alone.pid())).isEmpty();
    assertThat(alone.all())
        .filteredOn(line -> line.contains("org.jgroups") || line.contains("tools.jackson"))
        .isEmpty();
    assertThat(alone.all()).anyMatch(line -> line.startsWith("dev.heddle.process.ProcessRuntime "));
    int port = TestPorts.next();
    NodeJvm node = start("a", port, List.of(port));
    node.waitFor("READY");
    assertThat(listening(node.pid())).containsExactly("127.0.0.1:" + port);
    // a second node at that port says who has it
    ClusterOptions second = ClusterOptions.named("b").bind("127.0.0.1", port);
    assertThatThrownBy(() -> Cluster.join(second))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "port %d of 127.0.0.1 is taken by process %d (java); stop it, or bind to another port"
                .formatted(port, node.pid()));
  }

  /// What `ss -ltn` shows for a process: the addresses of its TCP sockets in state LISTEN.
  private static Set<String> listening(long pid) throws IOException {
    Set<String> inodes = new HashSet<>();
    try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path file : files.toList()) {
        String target = Files.isSymbolicLink(file) ? readLink(file) : "";
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring(8, target.length() - 1));
        }
      }
    }
    Set<String> addresses = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net/" + table))) {
        String[] columns = line.strip().split("\\s+");
        if (columns[3].equals("0A") && inodes.contains(columns[9])) {
          addresses.add(address(columns[1]));
        }
      }
    }
    return addresses;
  }

  private static String readLink(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /// Of `0100007F:1DB0`, or an address of version 6 whose last four bytes are those.
  private static String address(String hex) {
    int colon = hex.indexOf(':');
    String four = hex.substring(colon - 8, colon);
    List<String> bytes = new ArrayList<>();
    for (int i = 6; i >= 0; i -= 2) {
      bytes.add("" + Integer.parseInt(four.substring(i, i + 2), 16));
    }
    return String.join(".", bytes) + ":" + Integer.parseInt(hex.substring(colon + 1), 16);
  }
}
