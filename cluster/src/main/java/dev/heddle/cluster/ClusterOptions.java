// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.name.NodeNames;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.SortedNames;
import dev.heddle.cluster.shard.NodeShards;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.process.Process;
import dev.heddle.process.StartOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How a node joins a cluster. Immutable: each method returns a changed copy.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=options}
///
/// @since 0.1
public final class ClusterOptions {
  /// The ports of which a node takes the first free one when none is named, and where it looks for
  /// others when no seeds are.
  static final int FIRST_PORT = 7600;

  static final int LAST_PORT = 7615;

  private static final Duration LEASE = Duration.ofSeconds(8);
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

  private static final String LOOPBACK = "127.0.0.1";

  /// Another address of loopback for options that name none. Bound by tests: other programs may
  /// have the ports, or nodes of the same names, at the usual one.
  static final ScopedValue<String> OTHER_LOOPBACK = ScopedValue.newInstance();

  private final Draft values;

  /// The mutable copy from which options are made.
  private static final class Draft {
    String name = "";
    String cluster = "heddle";
    final String loopback;
    String host;
    int firstPort = FIRST_PORT;
    int lastPort = LAST_PORT;
    List<String> seeds = List.of();
    @Nullable Certificates certificates;
    boolean insecure;
    boolean orders = true;
    Map<String, String> labels = Map.of();
    List<Class<?>> messages = List.of();
    List<MessageCodec<?>> codecs = List.of();
    Map<String, Entry> entries = Map.of();
    Set<String> voters = Set.of();
    @Nullable Path directory;
    Duration lease = LEASE;
    int oldestVersion = Packet.OLDEST_VERSION;
    int newestVersion = Packet.VERSION;
    LogFormats logFormats = LogFormats.RELEASE;

    Draft() {
      loopback = OTHER_LOOPBACK.orElse(LOOPBACK);
      host = loopback;
    }

    Draft(Draft of) {
      loopback = of.loopback;
      name = of.name;
      cluster = of.cluster;
      host = of.host;
      firstPort = of.firstPort;
      lastPort = of.lastPort;
      seeds = of.seeds;
      certificates = of.certificates;
      insecure = of.insecure;
      orders = of.orders;
      labels = of.labels;
      messages = of.messages;
      codecs = of.codecs;
      entries = of.entries;
      voters = of.voters;
      directory = of.directory;
      lease = of.lease;
      oldestVersion = of.oldestVersion;
      newestVersion = of.newestVersion;
      logFormats = of.logFormats;
    }
  }

  /// @param password of both stores; its owner may not change it
  record Certificates(Path keys, Path trusted, char[] password) {}

  private ClusterOptions(Draft values) {
    this.values = values;
  }

  /// The options of a node with this name: in the cluster `heddle`, on loopback, at the first free
  /// port of 7600 to 7615, without encryption; it looks for others at these ports.
  ///
  /// @param node unique in the cluster
  /// @throws IllegalArgumentException when it is empty, or longer than 1 KiB in UTF-8
  public static ClusterOptions named(String node) {
    Draft made = new Draft();
    made.name = name(node, "the name of a node");
    return new ClusterOptions(made);
  }

  /// A name that travels to other nodes.
  private static String name(String value, String what) {
    int bytes = notEmpty(value, what).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Limits.NAME_BYTES) {
      throw new IllegalArgumentException(
          "%s has at most %d bytes in UTF-8, not %d: '%s…'"
              .formatted(what, Limits.NAME_BYTES, bytes, value.substring(0, 60)));
    }
    return value;
  }

  private static String notEmpty(String value, String what) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(what + " has at least one character");
    }
    return value;
  }

  /// The name of the cluster. Nodes of other clusters are refused.
  ///
  /// @throws IllegalArgumentException when it is empty, or longer than 1 KiB in UTF-8
  public ClusterOptions cluster(String name) {
    Draft made = new Draft(values);
    made.cluster = name(name, "the name of a cluster");
    return new ClusterOptions(made);
  }

  /// Listens at one address, and at exactly this port. An address that is not loopback needs
  /// [#certificates] or [#insecure].
  ///
  /// @param host an address of this machine at which the other nodes reach it
  /// @param port 1 to 65535
  /// @throws IllegalArgumentException when the port is out of range, or the address is that of all
  ///   interfaces, which leads nobody here
  public ClusterOptions bind(String host, int port) {
    if (List.of("0.0.0.0", "::", "[::]").contains(notEmpty(host, "a host name"))) {
      throw new IllegalArgumentException(
          host + " is no address that leads to a node; name the one at which others reach it");
    }
    Draft made = new Draft(values);
    made.host = host;
    made.firstPort = port(port);
    made.lastPort = port;
    return new ClusterOptions(made);
  }

  private static int port(int port) {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is 1 to 65535: " + port);
    }
    return port;
  }

  /// Looks for other nodes at these addresses, again and again; it is enough that some of them
  /// answer, and they tell where others are. Replaces seeds given before. Host names are resolved
  /// each time, to all their addresses; the JDK keeps an answer for 30 s, if its security property
  /// `networkaddress.cache.ttl` says nothing else.
  ///
  /// @param addresses as `10.0.0.11:7600`, `node-b:7600`, `[fd00::11]:7600`
  /// @throws IllegalArgumentException when one has no port
  public ClusterOptions seeds(String... addresses) {
    Draft made = new Draft(values);
    made.seeds = List.of(addresses);
    made.seeds.forEach(Seeds::parse);
    return new ClusterOptions(made);
  }

  /// Looks for other nodes at all addresses that a host name has at the time, all with one port: as
  /// those of a headless service of Kubernetes. Replaces seeds given before.
  ///
  /// @throws IllegalArgumentException when the port is out of range
  public ClusterOptions dns(String name, int port) {
    return seeds(notEmpty(name, "a host name") + ":" + port(port));
  }

  /// Encrypts all connections by TLS 1.3, and lets only nodes in whose certificates were signed by
  /// an authority that is trusted here. `./heddle cluster certs` makes the files.
  ///
  /// @param keys a PKCS12 store with the key and the certificate of this node
  /// @param trusted a PKCS12 store with the certificates of authorities
  /// @param password of both stores
  public ClusterOptions certificates(Path keys, Path trusted, String password) {
    Draft made = new Draft(values);
    made.certificates =
        new Certificates(
            Objects.requireNonNull(keys, "keys"),
            Objects.requireNonNull(trusted, "trusted"),
            password.toCharArray());
    return new ClusterOptions(made);
  }

  /// Lets a node listen at an address that is not loopback without encryption: whoever reaches the
  /// port can join, and read all messages. Logged at each start.
  public ClusterOptions insecure() {
    Draft made = new Draft(values);
    made.insecure = true;
    return new ClusterOptions(made);
  }

  /// Ignores orders of other nodes to processes here: terminate, cancel and requests to exit.
  /// Messages, links, monitors and starts stay allowed: a process here that is linked to one of
  /// another node ends with it, unless it traps exits.
  ///
  /// @see dev.heddle.process.ProcessContext#trapExits()
  public ClusterOptions refuseOrders() {
    Draft made = new Draft(values);
    made.orders = false;
    return new ClusterOptions(made);
  }

  /// Words for others to choose this node by. Replaces labels given before.
  ///
  /// @throws IllegalArgumentException when a name is empty, or a name or a value is longer than 1
  ///   KiB in UTF-8
  public ClusterOptions labels(Map<String, String> labels) {
    Draft made = new Draft(values);
    made.labels = Map.copyOf(labels);
    made.labels.forEach((key, value) -> {
      name(key, "the name of a label");
      if (!value.isEmpty()) {
        name(value, "the value of a label");
      }
    });
    return new ClusterOptions(made);
  }

  /// Adds types of messages that travel between nodes: records, enums, sealed interfaces of
  /// records. What their components are made of is added with them.
  public ClusterOptions messages(Class<?>... types) {
    Draft made = new Draft(values);
    List<Class<?>> all = new ArrayList<>(values.messages);
    all.addAll(List.of(types));
    made.messages = List.copyOf(all);
    return new ClusterOptions(made);
  }

  /// Adds a type of message with an encoding of its own.
  public ClusterOptions codec(MessageCodec<?> codec) {
    Draft made = new Draft(values);
    List<MessageCodec<?>> all = new ArrayList<>(values.codecs);
    all.add(codec);
    made.codecs = List.copyOf(all);
    return new ClusterOptions(made);
  }

  /// Adds something that other nodes may start here.
  ///
  /// @param name unique among those of this node
  /// @param process makes a new process for each start; on a thread of its own, where it may wait
  /// @throws IllegalArgumentException when the name is empty, used, or longer than 1 KiB in UTF-8
  public ClusterOptions entry(String name, Supplier<? extends Process> process) {
    return entry(name, StartOptions.defaults(), process);
  }

  /// Adds something that other nodes may start here, with a mailbox, a priority, attributes or a
  /// time for its shutdown of its own. Senders at other nodes wait for a mailbox as those here do,
  /// when its policy is [dev.heddle.process.MailboxPolicy#SUSPEND].
  ///
  /// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=entryOptions}
  ///
  /// @param options of each process that is started. Its input, name, parent, link, monitor and
  ///   lifetime come from who starts it
  /// @throws IllegalArgumentException as above, and when the options have one of those
  public ClusterOptions entry(
      String name, StartOptions options, Supplier<? extends Process> process) {
    Draft made = new Draft(values);
    Map<String, Entry> all = new LinkedHashMap<>(values.entries);
    if (all.put(name(name, "the name of an entry"), new Entry(process, options)) != null) {
      throw new IllegalArgumentException("node '" + name() + "' has two entries '" + name + "'");
    }
    made.entries = Map.copyOf(all);
    return new ClusterOptions(made);
  }

  /// The nodes a majority of which decides who owns a name; the same at all nodes. A voter has a
  /// [#directory], and the artifact `dev.heddle:heddle-cluster-ratis` on its class path. Without
  /// voters the cluster has no names. The first time of all, all of them have to be there.
  ///
  /// @param nodes names of nodes: 3 or 5, or a single one, without which no name can be had
  /// @throws IllegalArgumentException when there are two, of which each is as necessary as both; or
  ///   when a name is given twice
  public ClusterOptions voters(String... nodes) {
    Draft made = new Draft(values);
    made.voters = SortedNames.copyOf(Set.of(nodes));
    made.voters.forEach(node -> name(node, "the name of a node"));
    if (nodes.length == 0 || nodes.length == 2) {
      throw new IllegalArgumentException(
          "%d voters: name one node, or three; of two both would have to be there"
              .formatted(nodes.length));
    }
    return new ClusterOptions(made);
  }

  /// Where this node keeps what outlives its process: the log of a voter, and the proof that an
  /// earlier process of the node has ended, by which its names are free at once. One process has it
  /// at a time. Needs [#voters].
  public ClusterOptions directory(Path path) {
    Draft made = new Draft(values);
    made.directory = Objects.requireNonNull(path, "path");
    return new ClusterOptions(made);
  }

  /// How long this node owns its names without word from a majority: 8 s, if nothing else is said.
  /// Others can have them when 21/16 of it are over. A lease shorter than 8 s may be lost when the
  /// leader of the voters is. Give all nodes of a cluster the same: a leader with a longer one
  /// waits for that long before others can have the names. Needs [#voters].
  ///
  /// @throws IllegalArgumentException when it is shorter than a second
  public ClusterOptions lease(Duration lease) {
    if (lease.compareTo(SHORTEST_LEASE) < 0) {
      throw new IllegalArgumentException(
          "a lease has at least %s: %s".formatted(SHORTEST_LEASE, lease));
    }
    Draft made = new Draft(values);
    made.lease = lease;
    return new ClusterOptions(made);
  }

  /// Has the node speak other versions of the wire than this release, as the one before or after it
  /// would. No program can say so, only tests of upgrades, in this package.
  ClusterOptions versions(int oldest, int newest) {
    Draft made = new Draft(values);
    made.oldestVersion = oldest;
    made.newestVersion = newest;
    return new ClusterOptions(made);
  }

  // ---- the values, for Cluster ----

  Set<String> voters() {
    return values.voters;
  }

  @Nullable Path directory() {
    return values.directory;
  }

  /// As a release that knows other formats of the log: for tests of upgrades.
  ClusterOptions logFormats(LogFormats formats) {
    Draft made = new Draft(values);
    made.logFormats = formats;
    return new ClusterOptions(made);
  }

  /// What the node tells the others of its release.
  Features features() {
    return new Features(values.logFormats.newest(), NodeShards.MESSAGES);
  }

  NodeNames.Settings namesSettings() {
    return new NodeNames.Settings(voters(), directory(), lease(), values.logFormats);
  }

  Duration lease() {
    return values.lease;
  }

  int oldestVersion() {
    return values.oldestVersion;
  }

  int newestVersion() {
    return values.newestVersion;
  }

  /// Checks the options for names.
  ///
  /// @throws IllegalArgumentException when options for names contradict each other
  void checkVoters() {
    if (values.voters.isEmpty() && (values.directory != null || !values.lease.equals(LEASE))) {
      throw new IllegalArgumentException(
          "node '%s' has %s and no voters(...): without them nothing uses it"
              .formatted(name(), values.directory != null ? "directory(...)" : "lease(...)"));
    }
    if (values.voters.contains(name()) && values.directory == null) {
      throw new IllegalArgumentException(
          "node '%s' is one of the voters %s and has no directory(...), where the log is kept"
              .formatted(name(), values.voters));
    }
  }

  String name() {
    return values.name;
  }

  String cluster() {
    return values.cluster;
  }

  String host() {
    return values.host;
  }

  int firstPort() {
    return values.firstPort;
  }

  int lastPort() {
    return values.lastPort;
  }

  @Nullable Certificates certificates() {
    return values.certificates;
  }

  boolean acceptsOrders() {
    return values.orders;
  }

  Map<String, String> labels() {
    return values.labels;
  }

  List<Class<?>> messages() {
    return values.messages;
  }

  List<MessageCodec<?>> codecs() {
    return values.codecs;
  }

  Map<String, Entry> entries() {
    return values.entries;
  }

  /// The seeds, or the ports of the default on this host.
  List<String> seeds() {
    if (!values.seeds.isEmpty()) {
      return values.seeds;
    }
    List<String> ports = new ArrayList<>();
    for (int port = FIRST_PORT; port <= LAST_PORT; port++) {
      ports.add(values.loopback + ":" + port);
    }
    return ports;
  }

  /// The address to listen at.
  ///
  /// @throws IllegalArgumentException when it has none, or what it needs for its safety is missing
  InetAddress checkedAddress() {
    InetAddress address;
    try {
      address = InetAddress.getByName(values.host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "node '%s' cannot listen at %s: the name has no address; name one that ip addr shows"
              .formatted(name(), values.host),
          e);
    }
    if (!address.isLoopbackAddress()) {
      checkSafety(address);
      if (values.seeds.isEmpty()) {
        throw new IllegalArgumentException(
            "node '%s' listens at %s and knows no other node; name some by seeds(...) or dns(...)"
                .formatted(name(), values.host));
      }
    }
    return address;
  }

  private void checkSafety(InetAddress address) {
    if (values.certificates == null && !values.insecure) {
      throw new IllegalArgumentException(
          ("node '%s' would listen at %s:%d without encryption, where other machines reach it: name"
                  + " certificates(...), which ./heddle cluster certs DIR %s makes, or insecure()"
                  + " where all machines of the network are trusted")
              .formatted(name(), address.getHostAddress(), values.firstPort, name()));
    }
    if (values.certificates != null && values.insecure) {
      throw new IllegalArgumentException(
          "node '%s' has certificates(...) and insecure(): leave one out".formatted(name()));
    }
  }

  /// Whether it listens where other machines reach it without encryption.
  boolean isExposed(InetAddress address) {
    return !address.isLoopbackAddress() && values.certificates == null;
  }

  @Override
  public String toString() {
    String ports =
        values.firstPort == values.lastPort
            ? String.valueOf(values.firstPort)
            : values.firstPort + "-" + values.lastPort;
    String names =
        (values.voters.isEmpty() ? "" : ", voters " + values.voters)
            + (values.directory == null ? "" : ", directory " + values.directory);
    return "ClusterOptions[node '%s' of cluster '%s' at %s:%s, seeds %s, labels %s, entries %s%s]"
        .formatted(
            values.name,
            values.cluster,
            values.host,
            ports,
            values.seeds,
            values.labels,
            values.entries.keySet(),
            names);
  }
}
