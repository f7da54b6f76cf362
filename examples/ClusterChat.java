// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterChange;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.Group;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NodeInfo;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.Place;
import dev.heddle.cluster.ShardOptions;
import dev.heddle.cluster.Shards;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import org.jspecify.annotations.Nullable;

/// A chat over several nodes. Without an argument three nodes live in this JVM: they meet, talk,
/// and one leaves. With a name this JVM is one node: start a, b and c in three terminals, type, and
/// kill them as you like.
///
/// Each node has one process, a member of the group `chat`. Nobody keeps a list of nodes: a node
/// finds the others on the loopback interface, and the group has the members of all nodes in touch.
///
/// The whole cluster has one moderator, a singleton: when its node leaves or is killed, it starts
/// at another one. The nodes a, b and c vote about that, so two of them have to live. Each keeps
/// its votes in a directory, in the folder for temporary files.
///
/// The nodes also have carts, one for each customer: entities, which are spread over the nodes and
/// addressed by their keys. The carts of a node that leaves or is killed go on at another one, with
/// what they have stored in files.
final class ClusterChat {
  private static final String USAGE =
      """
      usage: ./heddle run examples/ClusterChat.java            three nodes in this JVM
             ./heddle run examples/ClusterChat.java -- NAME    one node: a, b and c in three terminals
      In a terminal: what you type goes to all; /who lists the nodes, /moderator says where it is,
      /put CUSTOMER ITEM puts something into a cart, /quit leaves.
      Others than a, b and c join them as they like. NAME CHAT joins a chat with another name.\
      """;

  private static final String WORD = "[\\w.]{1,20}"; // what is a name here

  private static final String[] VOTERS = {"a", "b", "c"};
  private static final String MODERATOR = "moderator";
  private static final String CART = "cart";
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final String WHY =
      "two of the nodes a, b and c have to live; what was at a node that was killed starts at"
          + " another one within 12 s";

  /// What the members say to each other.
  record Said(String from, String text) {}

  /// Puts an item into a cart. To repeat it changes nothing, since a cart is a set.
  record Put(String item) {}

  /// What is in a cart, and the node that it is at.
  record Filled(String node, String items) {}

  private final Cluster cluster;
  private final Group chat;
  private final Set<String> hearers = ConcurrentHashMap.newKeySet();

  private ClusterChat(String of, String name, Path directories) throws IOException {
    ClusterOptions options =
        ClusterOptions.named(name)
            .cluster(of)
            .voters(VOTERS)
            .messages(Said.class, Put.class, Filled.class)
            .entry(MODERATOR, () -> CoroutineProcess.of(this::moderate))
            .entry(CART, () -> new Cart(name, directories.resolve("carts")));
    boolean isVoter = List.of(VOTERS).contains(name);
    cluster = Cluster.join(isVoter ? options.directory(directories.resolve(name)) : options);
    chat = cluster.group("chat");
    chat.join(cluster.runtime().spawn(CoroutineProcess.of(this::listen)));
    chat.onChange(change -> greet(change.joined()));
    greet(chat.members());
    cluster.onChange(this::tell);
    cluster.runtime().spawn(CoroutineProcess.of(_ -> declare()));
  }

  static void main(String[] args) throws Exception {
    List<String> names = Stream.of(args).filter(arg -> !arg.equals("--")).toList();
    if (names.size() > 2 || names.stream().anyMatch(name -> !name.matches(WORD))) {
      System.err.println(USAGE);
      Heddle.exit(names.contains("--help") || names.contains("-h") ? 0 : 2);
    }
    if (names.isEmpty()) {
      demonstrate();
    } else {
      open(names.getFirst(), names.size() == 2 ? names.getLast() : "chat").converse();
    }
  }

  private static ClusterChat open(String name, String of) throws IOException {
    String folder = "heddle-cluster-chat-" + System.getProperty("user.name");
    try {
      Path directories = Path.of(System.getProperty("java.io.tmpdir"), folder, of);
      return new ClusterChat(of, name, directories);
    } catch (FileSystemException e) {
      System.err.println(e.getMessage()); // such a node runs already, and in which process
      Heddle.exit(1);
      throw e;
    }
  }

  // ---- three nodes in this JVM ----

  private static void demonstrate() throws IOException, InterruptedException {
    Path directories = Files.createTempDirectory("heddle-cluster-chat");
    String name = "demonstration-" + ProcessHandle.current().pid(); // and no chat in terminals
    List<ClusterChat> nodes = new ArrayList<>();
    try {
      for (String each : VOTERS) {
        nodes.add(new ClusterChat(name, each, directories));
      }
      talk(nodes);
      Map<String, String> carts = fill(nodes);
      String left = leave(nodes);
      move(carts.get(left), nodes);
    } finally {
      for (ClusterChat each : nodes) {
        each.cluster.close();
      }
      delete(directories);
    }
  }

  private static void talk(List<ClusterChat> nodes) throws InterruptedException {
    for (ClusterChat each : nodes) {
      each.awaitMembers(nodes.size());
    }
    nodes.get(0).say("three of us, as it seems");
    nodes.get(1).say("hello, a");
    Heddle.delay(Duration.ofMillis(200)); // so that it reads like a chat
  }

  /// Fills carts until each node has one.
  ///
  /// @return a customer for each node
  private static Map<String, String> fill(List<ClusterChat> nodes) throws InterruptedException {
    List<Shards> carts = nodes.stream().map(ClusterChat::carts).toList(); // each node hosts some
    Map<String, String> customers = new TreeMap<>();
    for (int i = 0; customers.size() < nodes.size(); i++) {
      String customer = "customer-" + i % 100;
      Filled cart = put(carts.getFirst(), customer, "milk");
      if (customers.putIfAbsent(cart.node, customer) == null) {
        nodes.getFirst().print(describe(customer, cart));
      }
    }
    return customers;
  }

  /// Puts more into a cart of the node that has left.
  private static void move(String customer, List<ClusterChat> nodes) throws InterruptedException {
    Filled cart = put(nodes.getFirst().carts(), customer, "bread");
    nodes.getFirst().print(describe(customer, cart));
  }

  private static String describe(String customer, Filled cart) {
    return "* the cart of %s is at node %s: %s".formatted(customer, cart.node, cart.items);
  }

  private Shards carts() {
    return cluster.shards(CART, ShardOptions.entry(CART).count(16));
  }

  private static Filled put(Shards carts, String customer, String item)
      throws InterruptedException {
    while (true) {
      try {
        return carts.of(customer).ask(new Put(item), Duration.ofMinutes(1));
      } catch (NoQuorumException | NotDeliveredException _) {
        Heddle.delay(Duration.ofMillis(50)); // a node has joined or left a moment ago
      }
    }
  }

  /// The cart of a customer. It ends when its shard moves, and starts at another node with what it
  /// has stored: in a file, which stands for a database that all nodes reach. Such a database
  /// should refuse a node that was stopped and does not know that it has lost the cart: as that of
  /// Bank.
  private static final class Cart extends CoroutineProcess {
    private final String node;
    private final Path store;

    Cart(String node, Path store) {
      this.node = node;
      this.store = store;
    }

    @Override
    protected @Nullable Object run(@Nullable Object input) throws IOException {
      Path file = store.resolve(((EntityId) Objects.requireNonNull(input)).key());
      Set<String> items = new TreeSet<>(Files.exists(file) ? Files.readAllLines(file) : List.of());
      while (true) {
        if (receive() instanceof Request(Put(String item), var reply)) {
          items.add(item);
          write(file, items); // before it says so
          reply.complete(new Filled(node, String.join(", ", items)));
        }
      }
    }

    /// In one step: this node may be killed meanwhile.
    private static void write(Path file, Set<String> items) throws IOException {
      Files.createDirectories(file.getParent());
      Path next = Files.createTempFile(file.getParent(), "next", "");
      Files.move(Files.write(next, items), file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /// The node of the moderator leaves; the moderator goes on at another one.
  ///
  /// @return the node
  private static String leave(List<ClusterChat> nodes) throws InterruptedException {
    String place = nodes.getFirst().awaitModerator("");
    ClusterChat first = nodes.remove(indexOf(place, nodes));
    first.say("I have to go, and the moderator lives here");
    Heddle.delay(Duration.ofMillis(200));
    first.cluster.close();
    for (ClusterChat each : nodes) {
      each.awaitMembers(nodes.size());
    }
    nodes.getFirst().awaitModerator(place);
    nodes.getLast().say("and then there were two");
    Heddle.delay(Duration.ofMillis(200));
    return place;
  }

  private static int indexOf(String node, List<ClusterChat> nodes) {
    return nodes.stream().map(it -> it.cluster.name()).toList().indexOf(node);
  }

  private String awaitModerator(String lastPlace) throws InterruptedException {
    String place = whereIsTheModerator();
    while (place == null || place.equals(lastPlace)) {
      Heddle.delay(Duration.ofMillis(50));
      place = whereIsTheModerator();
    }
    return place;
  }

  private static void delete(Path directories) throws IOException {
    try (Stream<Path> files = Files.walk(directories)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
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

  private void converse() throws InterruptedException {
    System.out.printf(
        "Node %s listens; /who, /moderator, /put CUSTOMER ITEM, /quit%n", cluster.name());
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
                .forEach(node -> System.out.println(describe(node)));
        case "/moderator" -> {
          String place = whereIsTheModerator();
          System.out.println(
              "* it is " + (place == null ? "nowhere now: " + WHY : "at node " + place));
        }
        case String put when put.startsWith("/put ") -> putOnce(put.split(" +"));
        case String other when other.startsWith("/") -> System.out.println(USAGE);
        case "" -> {}
        case String text -> say(text);
      }
    }
    Heddle.delay(Duration.ofDays(36_500)); // without a terminal the node stays until it is killed
  }

  private static String describe(NodeInfo node) {
    String why = node.state() == NodeInfo.State.UP ? null : node.reason();
    return "* %s is %s%s".formatted(node.name(), node.state(), why == null ? "" : ": " + why);
  }

  private void putOnce(String[] words) throws InterruptedException {
    if (words.length != 3 || !words[1].matches(WORD)) {
      System.out.println(USAGE);
      return;
    }
    try {
      Filled cart = carts().of(words[1]).ask(new Put(words[2]), ANSWER);
      System.out.println(describe(words[1], cart));
    } catch (NoQuorumException | NotDeliveredException | DeadlineException _) {
      System.out.printf("* no answer of the cart of %s: %s%n", words[1], WHY);
    }
  }

  private static @Nullable String next(BufferedReader input) {
    return Heddle.<@Nullable String>offload(input::readLine);
  }

  // ---- both ----

  private void say(String text) {
    chat.publish(new Said(cluster.name(), text));
  }

  /// Each node declares the moderator; the first one to reach a majority counts. And each says that
  /// it has carts.
  private @Nullable Object declare() throws InterruptedException {
    while (true) {
      try {
        carts();
        return cluster.singleton(MODERATOR, MODERATOR, null, Place.anywhere());
      } catch (NoQuorumException _) {
        // a majority of a, b and c is not here yet; the call has waited for a while
      }
    }
  }

  /// The process of the moderator, at the node that the cluster has chosen.
  private @Nullable Object moderate(CoroutineProcess self) {
    self.context().trapExits(); // so that it is told why it has to end
    chat.publish(new Said(MODERATOR, "I moderate, from node " + cluster.name()));
    while (true) {
      switch (self.receive()) {
        case Request(var _, var reply) -> reply.complete(cluster.name());
        case ProcessSignal.Cancel cancel -> {
          chat.publish(new Said(MODERATOR, "I end: " + cancel.reason()));
          return null;
        }
        case null, default -> {}
      }
    }
  }

  /// The name of its node; null when it does not answer.
  private @Nullable String whereIsTheModerator() throws InterruptedException {
    try {
      return cluster.named(MODERATOR).ask("where?", ANSWER);
    } catch (NoQuorumException | SendFailedException | AskFailedException | DeadlineException _) {
      return null; // it is about to start, or to move
    }
  }

  private @Nullable Object listen(CoroutineProcess self) {
    while (true) {
      if (self.receive() instanceof Said(String from, String text)) {
        print(from + ": " + text);
      }
    }
  }

  /// Says who can hear this node from now on: to be in touch is not enough, a node must know the
  /// other's member of the group.
  private void greet(List<Pid> members) {
    for (Pid member : members) {
      if (!member.node().equals(cluster.name()) && hearers.add(member.node())) {
        print("* " + member.node() + " is here");
      }
    }
  }

  private void tell(ClusterChange change) {
    if (change instanceof ClusterChange.Up) {
      return; // greet tells it, a moment later
    }
    hearers.remove(change.node());
    print(
        "* "
            + change.node()
            + (change instanceof ClusterChange.Lost lost
                ? " is out of reach: " + lost.reason()
                : " has left"));
  }

  private void print(String line) {
    System.out.println("[" + cluster.name() + "] " + line);
  }
}
