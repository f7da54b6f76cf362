// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.engine.Credentials;
import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.engine.JGroupsEngine.PortTakenException;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.node.NodeStatus;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.PeerOptions.ForeignOrders;
import dev.heddle.cluster.peer.RemoteChild;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A node of a cluster: a process runtime whose processes reach those of other nodes. Sends, asks,
/// links, monitors and orders take PIDs of any node.
///
/// A lost connection is no death: monitors and links report
/// [dev.heddle.process.Exit.Reason#NO_CONNECTION], and the process may be alive. The page
/// `explanation/cluster.md` says what is promised.
///
/// **Thread** any. Only [#leave] and [#close] wait.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=join}
///
/// @since 0.1
public final class Cluster implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  /// How long [#close] waits until the others have taken all that was sent.
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  /// After which a linked process has ended when its connection is lost: its node misses the
  /// connection after 6 s of silence.
  private static final Duration CHILD_GRACE = Duration.ofSeconds(8);

  private final ProcessRuntime runtime;
  private final Ownership ownership;
  private final ClusterOptions options;
  private final ClusterNode node;
  private final AtomicBoolean hasLeft = new AtomicBoolean();

  /// Whether the runtime is closed with the cluster.
  private enum Ownership {
    OWN,
    GIVEN
  }

  private Cluster(
      ProcessRuntime runtime, Ownership ownership, ClusterOptions options, ClusterNode node) {
    this.runtime = runtime;
    this.ownership = ownership;
    this.options = options;
    this.node = node;
  }

  // ---- joining ----

  /// Starts a node on the loopback interface, at the first free port of 7600 to 7615, which finds
  /// the others there: for a first look, and for tests. Without encryption.
  ///
  /// @param node its name, unique in the cluster
  /// @throws ClusterException when it cannot listen
  public static Cluster join(String node) {
    return joinLoopback(ClusterOptions.named(node));
  }

  /// Starts a node on the loopback interface, as [#join(String)], with other options.
  ///
  /// @param options without an address and seeds
  /// @throws ClusterException when it cannot listen
  public static Cluster joinLoopback(ClusterOptions options) {
    List<String> seeds = new ArrayList<>();
    for (int port = ClusterOptions.FIRST_PORT; port < ClusterOptions.PORTS_END; port++) {
      seeds.add("127.0.0.1:" + port);
    }
    ClusterOptions local = options.seeds(seeds.toArray(String[]::new));
    for (int port = ClusterOptions.FIRST_PORT; port < ClusterOptions.PORTS_END; port++) {
      try {
        return join(local.bind("127.0.0.1", port));
      } catch (ClusterException e) {
        if (!(e.getCause() instanceof PortTakenException)) {
          throw e;
        }
      }
    }
    throw new ClusterException(
        "the ports %d to %d of 127.0.0.1 are taken; end a node, or give the options an address"
            .formatted(ClusterOptions.FIRST_PORT, ClusterOptions.PORTS_END - 1));
  }

  /// Starts a runtime that is the node, which ends with the cluster.
  ///
  /// @throws ClusterException when it cannot listen, its certificates cannot be read, or a type
  ///   cannot be sent
  public static Cluster join(ClusterOptions options) {
    InetSocketAddress bind = options.bindAddress(); // before a runtime is started
    MessageTypes types = typesOf(options);
    ProcessRuntime runtime = ProcessRuntime.builder().node(options.node()).start();
    try {
      return join(runtime, Ownership.OWN, options, bind, types);
    } catch (RuntimeException e) {
      runtime.close();
      throw e;
    }
  }

  /// Makes a runtime a node. It leaves the cluster before it shuts down.
  ///
  /// @param runtime whose node has the name of the options
  /// @throws ClusterException as of [#join(ClusterOptions)]
  /// @throws IllegalArgumentException when the runtime has another name
  public static Cluster join(ProcessRuntime runtime, ClusterOptions options) {
    return join(runtime, Ownership.GIVEN, options, options.bindAddress(), typesOf(options));
  }

  private static MessageTypes typesOf(ClusterOptions options) {
    try {
      return MessageTypes.of(options.messages(), options.codecs());
    } catch (IllegalArgumentException e) {
      throw new ClusterException(
          "node '%s' cannot join: %s".formatted(options.node(), e.getMessage()), e);
    }
  }

  private static Cluster join(
      ProcessRuntime runtime,
      Ownership ownership,
      ClusterOptions options,
      InetSocketAddress bind,
      MessageTypes types) {
    JGroupsEngine engine =
        new JGroupsEngine(
            new JGroupsEngine.Settings(options.node(), bind, options.seeds(), tlsOf(options)));
    ClusterNode node =
        new ClusterNode(
            engine,
            runtime,
            new ClusterNode.Settings(
                options.cluster(),
                options.labels(),
                types,
                new PeerOptions(
                    options.entries(),
                    options.refusesOrders() ? ForeignOrders.REFUSED : ForeignOrders.CARRIED_OUT),
                (_, _) -> {}));
    if (!node.self().node().equals(options.node())) {
      throw new IllegalArgumentException(
          "the runtime is node '%s', and the options are of '%s'; build it with node(\"%s\")"
              .formatted(node.self().node(), options.node(), options.node()));
    }
    start(node);
    String warning = options.warning();
    if (warning != null) {
      LOG.log(System.Logger.Level.WARNING, "node ''{0}'': {1}", options.node(), warning);
    }
    Cluster cluster = new Cluster(runtime, ownership, options, node);
    runtime.beforeShutdown(() -> cluster.leave(CLOSE_LIMIT));
    return cluster;
  }

  /// On a thread of its own: it loads some hundred classes, which would hold a loop.
  private static void start(ClusterNode node) {
    CompletableFuture<@Nullable Void> started = new CompletableFuture<>();
    var _ =
        Thread.ofPlatform()
            .name("heddle-join-" + node.self().node())
            .start(
                () -> {
                  try {
                    node.start();
                    started.complete(null);
                  } catch (Throwable t) {
                    started.completeExceptionally(t);
                  }
                });
    try {
      started.join();
    } catch (CompletionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new ClusterException(
          "node '%s' cannot join: %s".formatted(node.self().node(), cause.getMessage()), cause);
    }
  }

  private static @Nullable SSLContext tlsOf(ClusterOptions options) {
    ClusterOptions.Certificates files = options.certificates();
    if (files == null) {
      return null;
    }
    try {
      return Credentials.load(files.keys(), files.trusted(), files.password().toCharArray());
    } catch (IOException e) {
      throw new ClusterException(
          "node '%s' cannot join: %s".formatted(options.node(), e.getMessage()), e);
    }
  }

  // ---- processes ----

  /// The runtime of this node.
  public ProcessRuntime runtime() {
    return runtime;
  }

  /// The name of this node.
  public String name() {
    return options.node();
  }

  /// Starts a process by the name of an entry, at a node that offers it. A parent that is linked to
  /// it, or monitors it, is told of its end even if that comes before the future completes. To
  /// cancel the future gives up: a process that was started nevertheless is terminated.
  ///
  /// @param with its input, name, parent, link, monitor and lifetime; the entry decides the rest
  /// @return completes with the PID; fails with a [StartRefusedException] when no node fits, or the
  ///   node refuses, or is lost
  /// @throws IllegalArgumentException when the options have what does not reach another node
  /// @throws dev.heddle.process.NotSendableException when the input cannot be encoded
  public CompletableFuture<Pid> spawn(String entry, StartOptions with, Place place) {
    List<String> fitting = fitting(entry, place);
    if (fitting.isEmpty()) {
      return CompletableFuture.failedFuture(
          new StartRefusedException(
              "no node in touch offers the entry '%s' and is %s; nodes() lists them"
                  .formatted(entry, place),
              null));
    }
    String chosen = fitting.get(ThreadLocalRandom.current().nextInt(fitting.size()));
    if (chosen.equals(name())) {
      Supplier<? extends Process> process = options.entries().get(entry);
      return CompletableFuture.completedFuture(runtime.spawn(process.get(), with));
    }
    RemoteNode remote = node.node(chosen);
    return remote != null
        ? remote.spawn(entry, with)
        : CompletableFuture.failedFuture(
            new StartRefusedException("node '" + chosen + "' was lost just now", null));
  }

  private List<String> fitting(String entry, Place place) {
    List<String> names = new ArrayList<>();
    if (options.entries().containsKey(entry) && place.fits(name(), options.labels())) {
      names.add(name());
    }
    for (Introduction other : node.introductions()) {
      String name = other.life().node();
      if (other.entries().contains(entry) && place.fits(name, other.labels())) {
        names.add(name);
      }
    }
    return names;
  }

  /// A process of this node that stands for one at a node that offers an entry: it starts that one
  /// linked, passes on to it what comes, in order, and ends as it ends. So a supervisor has children
  /// at other nodes: each restart chooses a node anew. When the connection is lost it fails 8 s
  /// later: by then the other process has ended at its own node.
  ///
  /// @param with the input of the other process
  /// @return makes such a process, for [dev.heddle.process.supervisor.ChildSpec]
  public Callable<Process> child(String entry, StartOptions with, Place place) {
    return () ->
        RemoteChild.of(entry, with, (name, options) -> spawn(name, options, place), CHILD_GRACE);
  }

  /// A group of processes of all nodes.
  public Group group(String name) {
    return new Group(node.groups(), name);
  }

  // ---- nodes ----

  /// The other nodes that are or were in touch, and the addresses that are greeted.
  public List<NodeInfo> nodes() {
    return node.nodes().stream().map(this::info).toList();
  }

  private NodeInfo info(NodeStatus status) {
    boolean isNew = status.node() == null;
    Introduction introduction = isNew ? null : node.introduction(status.node().node());
    return new NodeInfo(
        isNew ? "" : status.node().node(),
        isNew ? -1 : status.node().life(),
        NodeState.valueOf(status.state().name()),
        status.address(),
        status.labels(),
        introduction == null ? List.of() : introduction.entries(),
        status.roundTrip(),
        status.outboxBytes(),
        status.unacknowledgedBytes(),
        status.stalled(),
        status.last(),
        status.refusal());
  }

  /// Calls a listener when a node gets in touch, is lost or leaves: in order, on a thread of the
  /// cluster, which it must not hold. What this node ends by leaving is not told.
  public void onChange(Consumer<NodeEvent> listener) {
    var _ =
        node.onChange(
            change -> {
              if (change.ending() == null || change.ending().cause() != Cause.CLOSED) {
                listener.accept(eventOf(change));
              }
            });
  }

  private static NodeEvent eventOf(ClusterNode.Change change) {
    NodeState state =
        change.ending() == null
            ? NodeState.UP
            : change.ending().cause() == Cause.LEFT ? NodeState.LEFT : NodeState.LOST;
    return new NodeEvent(
        change.node().node(),
        change.node().life(),
        state,
        change.ending() == null ? null : change.ending().toString());
  }

  // ---- the end ----

  /// Leaves the cluster: waits until the other nodes have taken what was sent, says farewell, and
  /// closes the port. The runtime goes on, unless the cluster has started it: [#close] ends that.
  ///
  /// @param time after which it leaves although not all was taken
  /// @throws InterruptedException when the thread is interrupted; it leaves at once then
  public void leave(Duration time) throws InterruptedException {
    if (hasLeft.compareAndSet(false, true)) {
      node.leave(time);
    }
  }

  /// Leaves, and shuts the runtime down if the cluster has started it.
  @Override
  public void close() {
    if (ownership == Ownership.OWN) {
      runtime.close(); // leaves first
      return;
    }
    try {
      leave(CLOSE_LIMIT);
    } catch (InterruptedException _) {
      node.close();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "Cluster[node " + name() + ", " + node.nodes().size() + " others]";
  }
}
