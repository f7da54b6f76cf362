// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.process.Process;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How a node joins a cluster. Immutable: each method returns a changed copy.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=options}
///
/// @since 0.1
public final class ClusterOptions {
  /// The first of the ports that [Cluster#join(String)] tries.
  public static final int FIRST_PORT = 7600;

  /// The port after the last one that it tries.
  static final int PORTS_END = 7616;

  private static final int NAME_LENGTH = 200;

  /// Key and trust stores in files.
  record Certificates(Path keys, Path trusted, String password) {
    @Override
    public String toString() {
      return keys + ", " + trusted;
    }
  }

  private final Values values;

  /// All values; copied for each change.
  private static final class Values {
    String node = "";
    String cluster = "heddle";
    String host = "127.0.0.1";
    int port = FIRST_PORT;
    List<String> seeds = List.of();
    @Nullable Certificates certificates;
    boolean isInsecure;
    boolean refusesOrders;
    Map<String, String> labels = Map.of();
    List<Class<?>> messages = List.of();
    List<MessageCodec<?>> codecs = List.of();
    Map<String, Supplier<? extends Process>> entries = Map.of();

    Values copy() {
      Values copy = new Values();
      copy.node = node;
      copy.cluster = cluster;
      copy.host = host;
      copy.port = port;
      copy.seeds = seeds;
      copy.certificates = certificates;
      copy.isInsecure = isInsecure;
      copy.refusesOrders = refusesOrders;
      copy.labels = labels;
      copy.messages = messages;
      copy.codecs = codecs;
      copy.entries = entries;
      return copy;
    }
  }

  private ClusterOptions(Values values) {
    this.values = values;
  }

  private interface Change {
    void apply(Values values);
  }

  private ClusterOptions with(Change change) {
    Values changed = values.copy();
    change.apply(changed);
    return new ClusterOptions(changed);
  }

  // ---- who and where ----

  /// The options of a node with a name, which is unique in its cluster: cluster `heddle`, port 7600
  /// of `127.0.0.1`, no seeds.
  ///
  /// @param node letters, digits, `.`, `_` and `-`
  /// @throws IllegalArgumentException when the name is empty or has other characters
  public static ClusterOptions named(String node) {
    Values values = new Values();
    values.node = checkedName("node", node);
    return new ClusterOptions(values);
  }

  /// The same options for a node with another name.
  ///
  /// @throws IllegalArgumentException as of [#named]
  public ClusterOptions renamed(String node) {
    return with(values -> values.node = checkedName("node", node));
  }

  private static String checkedName(String what, String name) {
    if (!name.matches("[\\p{L}\\p{N}._-]{1," + NAME_LENGTH + "}")) {
      throw new IllegalArgumentException(
          "the name of a %s has 1 to %d letters, digits, '.', '_' and '-', not '%s'"
              .formatted(what, NAME_LENGTH, name));
    }
    return name;
  }

  /// The name of the cluster: nodes of different clusters do not come together.
  ///
  /// @throws IllegalArgumentException when the name is empty or has other characters than letters,
  ///   digits, `.`, `_` and `-`
  public ClusterOptions cluster(String name) {
    return with(values -> values.cluster = checkedName("cluster", name));
  }

  /// The address that this node listens at, and that the others connect to.
  ///
  /// @param host an address of this machine, or a name of one
  /// @param port exactly this one
  public ClusterOptions bind(String host, int port) {
    return with(values -> {
      values.host = Objects.requireNonNull(host, "host");
      values.port = checkedPort(port, host + ":" + port);
    });
  }

  private static int checkedPort(int port, String text) {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is from 1 to 65535: " + text);
    }
    return port;
  }

  /// Where other nodes may be, `host:port` each; this node may be among them. A name with several
  /// addresses, such as that of a headless service of Kubernetes, stands for all of them. It is
  /// looked up again and again, so nodes may come and go.
  ///
  /// @throws IllegalArgumentException when one is not `host:port`
  public ClusterOptions seeds(String... hostsAndPorts) {
    List<String> all = List.of(hostsAndPorts);
    all.forEach(ClusterOptions::address);
    return with(values -> values.seeds = all);
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    try {
      if (colon > 0) {
        int port = checkedPort(Integer.parseInt(text.substring(colon + 1)), text);
        return InetSocketAddress.createUnresolved(text.substring(0, colon), port);
      }
    } catch (NumberFormatException _) {
      // safe: said below
    }
    throw new IllegalArgumentException("a seed is host:port, like 10.0.0.11:7600, not " + text);
  }

  // ---- security ----

  /// TLS 1.3 with this node's key and certificate: only nodes whose certificate is signed by one of
  /// the trusted ones get in, and the other way round. `./heddle cluster certs` makes the files.
  ///
  /// @param keys a PKCS12 store with one key
  /// @param trusted a PKCS12 store with the certificates of those who sign
  /// @param password of both
  public ClusterOptions certificates(Path keys, Path trusted, String password) {
    return with(values -> values.certificates = new Certificates(keys, trusted, password));
  }

  /// Without encryption and without a check of who connects, also on addresses that other machines
  /// reach: whoever reaches the port can send to, and end, every process. Logged at each start.
  public ClusterOptions insecure() {
    return with(values -> values.isInsecure = true);
  }

  /// Other nodes cannot end processes here: `terminate`, `cancel` and `requestExit` of theirs are
  /// ignored and logged.
  public ClusterOptions refuseOrders() {
    return with(values -> values.refusesOrders = true);
  }

  // ---- what it offers ----

  /// Labels, for others to choose a node by: [Place#label].
  public ClusterOptions labels(Map<String, String> labels) {
    Map<String, String> copy = Map.copyOf(labels);
    return with(values -> values.labels = copy);
  }

  /// Adds types of messages that this node sends and takes: records, enums, sealed interfaces of
  /// them.
  public ClusterOptions messages(Class<?>... types) {
    return with(values -> values.messages = joined(values.messages, List.of(types)));
  }

  /// Adds a codec for a type of messages.
  public ClusterOptions codec(MessageCodec<?> codec) {
    return with(values -> values.codecs = joined(values.codecs, List.of(codec)));
  }

  private static <T> List<T> joined(List<? extends T> some, List<? extends T> more) {
    List<T> all = new ArrayList<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }

  /// Adds what other nodes may start here.
  ///
  /// @param name by which they start it
  /// @param process makes the process; called on a thread that receives from another node, so it
  ///   must not wait
  /// @throws IllegalArgumentException when the name is taken
  public ClusterOptions entry(String name, Supplier<? extends Process> process) {
    return with(values -> {
      Map<String, Supplier<? extends Process>> entries = new HashMap<>(values.entries);
      if (entries.put(checkedName("entry", name), process) != null) {
        throw new IllegalArgumentException("there is an entry '" + name + "' already");
      }
      values.entries = Map.copyOf(entries);
    });
  }

  // ---- for the cluster ----

  String node() {
    return values.node;
  }

  String cluster() {
    return values.cluster;
  }

  List<InetSocketAddress> seeds() {
    return values.seeds.stream().map(ClusterOptions::address).toList();
  }

  int port() {
    return values.port;
  }

  @Nullable Certificates certificates() {
    return values.certificates;
  }

  boolean refusesOrders() {
    return values.refusesOrders;
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

  Map<String, Supplier<? extends Process>> entries() {
    return values.entries;
  }

  /// The address to listen at.
  ///
  /// @throws ClusterException when it has none, or others reach it and nothing protects it
  InetSocketAddress bindAddress() {
    InetAddress address;
    try {
      address = InetAddress.getByName(values.host);
    } catch (UnknownHostException e) {
      throw new ClusterException(
          "'%s' has no address; bind to an address of this machine".formatted(values.host), e);
    }
    if (!address.isLoopbackAddress() && values.certificates == null && !values.isInsecure) {
      throw new ClusterException(
          ("node '%s' would listen at %s, which other machines reach, without certificates: give it"
                  + " certificates(...), which ./heddle cluster certs makes, or say insecure()")
              .formatted(values.node, address.getHostAddress()));
    }
    return new InetSocketAddress(address, values.port);
  }

  /// What protects the connections, for the log; null when loopback does.
  @Nullable String warning() {
    return values.isInsecure && values.certificates == null
        ? "insecure(): connections are neither encrypted nor checked"
        : null;
  }

  @Override
  public String toString() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("node", values.node);
    all.put("cluster", values.cluster);
    all.put("bind", values.host + ":" + values.port);
    all.put("seeds", values.seeds);
    all.put("certificates", String.valueOf(values.certificates));
    all.put("labels", values.labels);
    all.put("entries", values.entries.keySet());
    return "ClusterOptions" + all;
  }
}
