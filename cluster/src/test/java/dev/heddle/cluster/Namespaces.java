// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A network of Linux namespaces: one for each node, connected by a bridge in one more. Nothing of
/// it is seen outside. A cut is made at the bridge, which drops frames silently: no node sees a
/// closed connection or a link that is down.
///
/// A shell deletes the namespaces when this program has ended, however it did: by then its input
/// ends.
final class Namespaces {
  private static final String NETWORK = "10.77.0.";

  private final String prefix = "hd" + ProcessHandle.current().pid();
  private final String hub = prefix + "-hub";
  private final Map<String, String> addresses = new TreeMap<>();
  private final List<String> made = new ArrayList<>();
  private final Process cleaner;

  /// Makes namespaces, and waits to be killed.
  public static void main(String[] args) throws Exception {
    Namespaces made = new Namespaces(List.of("a"));
    NodeProgram.say("MADE " + made.prefix);
    int _ = System.in.read();
  }

  /// @throws IOException when this machine does not allow it, with what it said
  Namespaces(List<String> nodes) throws IOException, InterruptedException {
    cleaner = cleaner(prefix);
    try {
      add(hub);
      inHub("ip link add br0 type bridge");
      inHub("ip link set br0 up");
      for (String node : nodes) {
        addNode(node);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private static Process cleaner(String prefix) throws IOException {
    String delete = "while read name _; do ip netns delete $name; done";
    String script = "cat > /dev/null; %s | %s".formatted(listing(prefix), delete);
    return new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
  }

  private static String listing(String prefix) {
    return "ip netns list | grep '^%s-'".formatted(prefix);
  }

  /// How many namespaces with a prefix there are.
  static int count(String prefix) throws IOException, InterruptedException {
    var shell = new ProcessBuilder("sh", "-c", listing(prefix)).redirectErrorStream(true).start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    return (int) said.lines().count();
  }

  private void add(String namespace) throws IOException, InterruptedException {
    run("ip netns add " + namespace);
    made.add(namespace);
  }

  private void addNode(String node) throws IOException, InterruptedException {
    String address = NETWORK + (addresses.size() + 1);
    String space = prefix + "-" + node;
    add(space);
    inHub("ip link add port-%s type veth peer name eth0 netns %s".formatted(node, space));
    inHub("ip link set port-%s master br0".formatted(node));
    inHub("ip link set port-%s up".formatted(node));
    run("ip -n %s address add %s/24 dev eth0".formatted(space, address));
    run("ip -n %s link set eth0 up".formatted(space));
    run("ip -n %s link set lo up".formatted(space));
    addresses.put(node, address);
  }

  String address(String node) {
    return addresses.get(node);
  }

  /// Runs a command in the namespace of a node.
  List<String> command(String node) {
    return List.of("ip", "netns", "exec", prefix + "-" + node);
  }

  /// Cuts a node off from all others.
  void cutOff(String node) throws IOException, InterruptedException {
    inHub("bridge link set dev port-%s state 0".formatted(node)); // disabled
  }

  void heal(String node) throws IOException, InterruptedException {
    inHub("bridge link set dev port-%s state 3".formatted(node)); // forwarding
  }

  /// Cuts two nodes from each other, and from nobody else.
  void cutPair(String one, String two) throws IOException, InterruptedException {
    isolate(one, "on");
    isolate(two, "on");
  }

  void healPair(String one, String two) throws IOException, InterruptedException {
    isolate(one, "off");
    isolate(two, "off");
  }

  /// Isolated ports of a bridge reach only those that are not.
  private void isolate(String node, String onOff) throws IOException, InterruptedException {
    inHub("bridge link set dev port-%s isolated %s".formatted(node, onOff));
  }

  private void inHub(String command) throws IOException, InterruptedException {
    run("ip netns exec " + hub + " " + command);
  }

  private static void run(String command) throws IOException, InterruptedException {
    var process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("'%s' failed: %s".formatted(command, said.strip()));
    }
  }

  void close() throws IOException, InterruptedException {
    for (String namespace : made.reversed()) {
      run("ip netns delete " + namespace);
    }
    made.clear();
    cleaner.getOutputStream().close(); // it finds none, and ends
    cleaner.waitFor();
  }
}
