// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterChange;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.Group;
import dev.heddle.process.CoroutineProcess;
import org.jspecify.annotations.Nullable;

/// A chat over several nodes. Without an argument three nodes live in this JVM: they meet, talk,
/// and one leaves. With a name this JVM is one node: start others in other terminals, type, and
/// kill them as you like.
///
/// Each node has one process, a member of the group `chat`. Nobody keeps a list of nodes: a node
/// finds the others on the loopback interface, and the group has the members of all nodes in touch.
final class ClusterChat {
  private static final String USAGE =
      """
      usage: ./heddle run examples/ClusterChat.java            three nodes in this JVM
             ./heddle run examples/ClusterChat.java -- NAME    one node, in each of several terminals
      In a terminal: what you type goes to all; /who lists the nodes, /quit leaves.\
      """;

  /// What the members say to each other.
  record Said(String from, String text) {}

  private final Cluster cluster;
  private final Group chat;

  private ClusterChat(String name) throws IOException {
    cluster = Cluster.join(ClusterOptions.named(name).cluster("chat").messages(Said.class));
    chat = cluster.group("chat");
    chat.join(cluster.runtime().spawn(CoroutineProcess.of(this::listen)));
    cluster.onChange(change -> print(describe(change)));
  }

  static void main(String[] args) throws Exception {
    List<String> names = Stream.of(args).filter(arg -> !arg.equals("--")).toList();
    if (names.size() > 1 || names.stream().anyMatch(name -> !name.matches("[\\w.]{1,20}"))) {
      System.err.println(USAGE);
      Heddle.exit(names.contains("--help") || names.contains("-h") ? 0 : 2);
    }
    if (names.isEmpty()) {
      demonstrate();
    } else {
      new ClusterChat(names.getFirst()).converse();
    }
  }

  // ---- three nodes in this JVM ----

  private static void demonstrate() throws IOException, InterruptedException {
    var a = new ClusterChat("a");
    var b = new ClusterChat("b");
    var c = new ClusterChat("c");
    for (ClusterChat each : List.of(a, b, c)) {
      each.awaitMembers(3);
    }
    a.say("three of us, as it seems");
    b.say("hello, a");
    Heddle.delay(Duration.ofMillis(200)); // so that it reads like a chat
    c.say("I have to go");
    c.cluster.close();
    a.awaitMembers(2);
    b.awaitMembers(2);
    a.say("and then there were two");
    Heddle.delay(Duration.ofMillis(200));
    b.cluster.close();
    a.cluster.close();
  }

  private void awaitMembers(int count) throws InterruptedException {
    var reached = new CountDownLatch(1);
    chat.onChange(_ -> {
      if (chat.members().size() == count) {
        reached.countDown();
      }
    });
    if (chat.members().size() != count && !reached.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(
          "%d members at %s, not %d".formatted(chat.members().size(), cluster.name(), count));
    }
  }

  // ---- one node in a terminal ----

  private void converse() throws IOException {
    System.out.println("Node " + cluster.name() + " listens; /who, /quit");
    var input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    // another thread reads: waiting for a terminal would hold the loop
    for (String line = next(input); line != null; line = next(input)) {
      switch (line.strip()) {
        case "/quit" -> {
          cluster.close();
          return;
        }
        case "/who" ->
            cluster.nodes().stream()
                .filter(node -> node.name() != null)
                .forEach(node -> System.out.println("* " + node.name() + " is " + node.state()));
        case "" -> {}
        case String text -> say(text);
      }
    }
    Heddle.delay(Duration.ofDays(36_500)); // without a terminal the node stays until it is killed
  }

  private static @Nullable String next(BufferedReader input) {
    return Heddle.<@Nullable String>offload(input::readLine);
  }

  // ---- both ----

  private void say(String text) {
    chat.publish(new Said(cluster.name(), text));
  }

  private @Nullable Object listen(CoroutineProcess self) {
    while (true) {
      if (self.receive() instanceof Said(String from, String text)) {
        print(from + ": " + text);
      }
    }
  }

  private static String describe(ClusterChange change) {
    String node = "* " + change.node();
    return switch (change) {
      case ClusterChange.Up _ -> node + " is here";
      case ClusterChange.Left _ -> node + " has left";
      case ClusterChange.Lost lost -> node + " is out of reach: " + lost.reason();
    };
  }

  private void print(String line) {
    System.out.println("[" + cluster.name() + "] " + line);
  }
}
