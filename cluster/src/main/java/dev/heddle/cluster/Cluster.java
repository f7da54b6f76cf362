// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.DeadlineException;
import dev.heddle.Registration;
import dev.heddle.cluster.engine.Credentials;
import dev.heddle.cluster.engine.JGroupsEngine;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.name.NameService;
import dev.heddle.cluster.name.NamesStatus;
import dev.heddle.cluster.name.NodeNames;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.observe.ClusterRegistration;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.PeerOptions.ForeignOrders;
import dev.heddle.cluster.peer.RemoteChild;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.shard.NodeShards;
import dev.heddle.cluster.shard.ShardService;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.cluster.wire.Urgent.Welcome;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.remote.LocalProcesses;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A node of a cluster: a runtime whose processes reach those of other machines, by the same
/// methods as those here. It leaves when its runtime shuts down.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=join}
///
/// What is promised, and what is not, is told in `docs/explanation/cluster.md`.
///
/// **Thread** any.
///
/// @since 0.1
public final class Cluster implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  private static final Duration JOIN = Duration.ofMinutes(5); // to listen: a second, mostly
  private static final Duration CLOSE = Duration.ofSeconds(5); // to deliver what was accepted
  private static final Duration ENGINE = Duration.ofSeconds(30); // more for the engine to close
  private static final Duration FOREVER = Duration.ofDays(36_525);

  /// After which a linked process has ended when its connection is lost: its node ends the session
  /// after 6 s of silence.
  private static final Duration CHILD_GRACE = Duration.ofSeconds(8);

  private enum Owner {
    CLUSTER,
    CALLER
  }

  private final ClusterOptions options;
  private final ProcessRuntime runtime;
  private final Owner owner;
  private final LocalProcesses local;
  private final JGroupsEngine engine;
  private final MessageTypes types;
  private final ClusterNode node;
  private final ProcessStarts starts;
  private final ClusterBean bean;

  private volatile @Nullable ClusterRegistration<ClusterMXBean> managed; // set by join
  private volatile @Nullable Registration beforeShutdown; // the same

  // set by join, with voters
  private volatile @Nullable NodeNames names;
  private volatile @Nullable SingletonDeclarations singletons;
  private volatile @Nullable NodeShards shards;

  // any thread, CAS: what the first call of leave waits for, and all later ones
  private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> leaving =
      new AtomicReference<>();

  // ---- join ----

  /// Joins the cluster `heddle` of this machine, with a runtime of its own that [#close] shuts
  /// down.
  ///
  /// @param node the name of the node, unique in the cluster
  /// @throws IOException when it cannot listen; the message says what to do
  public static Cluster join(String node) throws IOException {
    return join(ClusterOptions.named(node));
  }

  /// Joins a cluster, with a runtime of its own that [#close] shuts down. Returns when it listens;
  /// the other nodes are found afterwards: see [#onChange].
  ///
  /// @throws IOException when it cannot listen or read certificates; the message says what to do
  /// @throws IllegalArgumentException when the options contradict each other, an address is not
  ///   safe to listen at, or a type of message cannot be sent, with the path to it; or when labels
  ///   and names of entries together have more than 64 KiB
  /// @throws IllegalStateException in a step of a process, which it would hold; at a voter without
  ///   the artifact of its log
  public static Cluster join(ClusterOptions options) throws IOException {
    options.checkedAddress(); // before a runtime is started
    options.checkVoters();
    MessageTypes.of(options.messages(), options.codecs());
    ProcessRuntime runtime = ProcessRuntime.builder().node(options.name()).start();
    try {
      return new Cluster(options, runtime, Owner.CLUSTER).start();
    } catch (Throwable t) {
      try {
        runtime.close();
      } catch (IllegalStateException _) { // in a process, which may not wait for it
        var _ = Thread.ofPlatform().daemon().name("heddle-join").start(runtime::close);
      }
      throw t;
    }
  }

  /// Joins a cluster with a runtime, which stays its caller's. It leaves when the runtime shuts
  /// down, before processes end.
  ///
  /// @param runtime built with `node(name)`, the name of the options
  /// @throws IOException as of [#join(ClusterOptions)]
  /// @throws IllegalArgumentException also when the names differ
  /// @throws IllegalStateException when the runtime is in a cluster already; in a step of a
  ///   process, which it would hold
  public static Cluster join(ProcessRuntime runtime, ClusterOptions options) throws IOException {
    return new Cluster(options, runtime, Owner.CALLER).start();
  }

  private Cluster(ClusterOptions options, ProcessRuntime runtime, Owner owner) throws IOException {
    this.options = options;
    this.runtime = runtime;
    this.owner = owner;
    this.local = LocalProcesses.of(runtime);
    String name = local.address(0).node();
    if (!name.equals(options.name())) {
      throw new IllegalArgumentException(
          "the runtime is node '%s' and the options are of node '%s'; build it with node(\"%s\")"
              .formatted(name, options.name(), options.name()));
    }
    InetAddress address = options.checkedAddress();
    options.checkVoters();
    this.engine =
        new JGroupsEngine(
            new JGroupsEngine.Settings(
                name,
                new InetSocketAddress(address, options.firstPort()),
                options.lastPort(),
                options.seeds().stream().map(Seeds::parse).toList(),
                tls(options)));
    this.types = MessageTypes.of(options.messages(), options.codecs());
    this.node =
        new ClusterNode(
            engine,
            runtime,
            new ClusterNode.Settings(
                options.cluster(),
                options.labels(),
                types,
                new PeerOptions(
                    options.entries(),
                    options.acceptsOrders() ? ForeignOrders.CARRIED_OUT : ForeignOrders.REFUSED),
                (_, _) -> {}, // a node without voters takes none of what is said about names
                options.features()),
            options.oldestVersion(),
            options.newestVersion());
    this.starts = new ProcessStarts(options, node, local, new MessageWriter(types, node.self()));
    this.bean = new ClusterBean(options, node, engine, this::namesStatus);
    checkGreeting();
  }

  /// A node whose greeting is too large would never be in touch with any other.
  private void checkGreeting() {
    Introduction largest =
        new Introduction(
            options.cluster(),
            node.self(),
            0,
            Packet.OLDEST_VERSION,
            Packet.VERSION,
            options.features().bits(),
            options.labels(),
            List.copyOf(options.entries().keySet()));
    SessionId none = new SessionId(0, 0);
    var _ = Packet.write(Packet.VERSION, none, 0, 0, new Welcome(largest, 0, Packet.VERSION));
  }

  private static @Nullable SSLContext tls(ClusterOptions options) throws IOException {
    ClusterOptions.Certificates files = options.certificates();
    return files == null ? null : Credentials.load(files.keys(), files.trusted(), files.password());
  }

  private Cluster start() throws IOException {
    if (!local.claimNodes()) {
      throw new IllegalStateException(
          "the runtime of node '%s' is in a cluster already; leave that one first"
              .formatted(name()));
    }
    try {
      open();
      return opened();
    } catch (Throwable t) {
      node.close();
      unregister();
      closeNames();
      local.releaseNodes();
      throw t;
    }
  }

  private @Nullable NamesStatus namesStatus() {
    NodeNames opened = names;
    return opened == null ? null : opened.service().status();
  }

  /// For tests: what carries its packets.
  JGroupsEngine engine() {
    return engine;
  }

  /// For tests: its lease and who leads the voters; null without voters.
  @Nullable NameService nameService() {
    NodeNames opened = names;
    return opened == null ? null : opened.service();
  }

  /// For tests: its sessions.
  ClusterNode node() {
    return node;
  }

  /// For tests: what it does with shards; null without voters.
  @Nullable ShardService shardService() {
    NodeShards own = shards;
    return own == null ? null : own.service();
  }

  private void closeNames() {
    NodeShards own = shards;
    if (own != null) {
      own.close();
    }
    NodeNames opened = names;
    if (opened != null) {
      opened.close();
    }
  }

  private Cluster opened() {
    InetSocketAddress at = address();
    if (options.isExposed(at.getAddress())) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s' listens at %s:%d without encryption (insecure()), and whoever reaches it can join"
              .formatted(options.name(), at.getAddress().getHostAddress(), at.getPort()));
    }
    var registration =
        new ClusterRegistration<>(
            name(), bean, ClusterMXBean.class, bean::view, new ClusterAnswers(bean));
    managed = registration;
    registration.join();
    node.everySecond(() -> {
      if (registration.mayJoin()) { // on another thread: it calls code of the program
        local.callbacks().execute(registration::join);
      }
    });
    beforeShutdown = runtime.beforeShutdown(() -> leave(CLOSE));
    return this;
  }

  /// On a thread of its own: the classes of the engine take a second to load, which would hold a
  /// loop.
  private void open() throws IOException {
    try {
      local.await("join", () -> ThreadTask.start("heddle-join-" + name(), this::listen), JOIN);
    } catch (TimeoutException _) {
      throw new IOException("node '%s' does not listen after %s".formatted(name(), JOIN));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException refused) {
        throw refused;
      }
      if (e.getCause() instanceof IllegalStateException refused) {
        throw refused;
      }
      throw new IllegalStateException("node '" + name() + "' cannot join", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while node '" + name() + "' joined");
    }
  }

  private void listen() throws IOException {
    if (!options.voters().isEmpty()) {
      NodeNames opened = NodeNames.open(node, local, options.namesSettings());
      names = opened;
      singletons = SingletonDeclarations.open(options, types, node.self(), local, opened);
      MessageWriter contents = new MessageWriter(types, node.self());
      shards = NodeShards.open(node, local, opened.service(), contents);
    }
    node.start();
  }

  // ---- what it is, and sees ----

  /// The runtime of this node.
  public ProcessRuntime runtime() {
    return runtime;
  }

  /// The name of this node.
  public String name() {
    return options.name();
  }

  /// Where this node listens.
  public InetSocketAddress address() {
    return Objects.requireNonNull(engine.bound(), "it is open");
  }

  /// This node, then the others that are in touch, or were among the last 256 that were, then
  /// addresses that were tried without success.
  public List<NodeInfo> nodes() {
    return bean.nodes();
  }

  /// Calls a listener for each node in touch, then when one gets in touch or no longer is: in
  /// order, one at a time, on a virtual thread where it may wait, also for this node to leave. A
  /// listener that is more than 10,000 changes behind is removed, with a warning in the log. What
  /// this node ends by leaving is not reported.
  ///
  /// @return removes the listener; a call that is under way is not waited for
  public Registration onChange(Consumer<ClusterChange> listener) {
    Runnable remove =
        node.onChange(change -> {
          Ending ending = change.ending();
          if (ending == null || ending.cause() != Cause.CLOSED) {
            listener.accept(changeOf(change.node(), ending));
          }
        });
    return remove::run;
  }

  private static ClusterChange changeOf(NodeLife node, @Nullable Ending ending) {
    if (ending == null) {
      return new ClusterChange.Up(node.node(), node.life());
    }
    return ending.cause() == Cause.LEFT
        ? new ClusterChange.Left(node.node(), node.life())
        : new ClusterChange.Lost(node.node(), node.life(), ending.toString());
  }

  /// The group with a name. Groups are not created: one without members is empty.
  ///
  /// @throws IllegalArgumentException when the name is empty, or longer than 1 KiB in UTF-8
  public Group group(String name) {
    Groups.checkName(name);
    return new Group(name, node.groups());
  }

  /// The names that a majority of the voters decides about.
  ///
  /// @throws IllegalStateException when the cluster has no [ClusterOptions#voters]
  public ClusterNames names() {
    NodeNames opened = names;
    if (opened == null) {
      throw new IllegalStateException(
          "node '%s' has no names: say which nodes decide about them, by voters(...) of its options"
              .formatted(name()));
    }
    return new ClusterNames(name(), opened.service(), local, singletons);
  }

  /// A reference to the process that has a name at each use.
  ///
  /// @throws IllegalArgumentException when the name is empty, or longer than 1 KiB in UTF-8
  /// @throws IllegalStateException when the cluster has no [ClusterOptions#voters]
  public NamedRef named(String name) {
    return new NamedRef(name, runtime, names());
  }

  /// Declares a process of which the whole cluster runs one, and leads to it. Declare it at as many
  /// nodes as you like, with equal arguments: the first declaration counts. **Suspends** coroutines
  /// and bodies of processes, until a majority has it; a thread blocks.
  ///
  /// {@snippet class=dev.heddle.cluster.SingletonSnippetsTest region=singleton}
  ///
  /// It runs at one of the admitted nodes that have the entry and are at the place, also when they
  /// have not declared it: the one that its name chooses. It has the name while it runs, with
  /// [ClusterNames#token]. It gets `Cancel`, and is terminated 1/8 of a lease later, when another
  /// node is chosen (2 s after that has come), when its node leaves or loses its lease. Then it
  /// starts at the chosen node; none of its state goes with it. After a failure it starts again at
  /// the same node, 250 ms later, then after twice the time, up to 32 s. When it ends on purpose,
  /// normally or by `shutdown`, without having been asked to, it has finished: it is not declared
  /// any more, and may be declared anew. If its node is lost just then, it may run once more.
  ///
  /// @param entry of [ClusterOptions#entry] at the nodes that may run it
  /// @param input for each start; at most 64 KiB when it is encoded
  /// @param place which nodes may run it; not [Place.Labelled#leastLoaded]
  /// @return leads to it, whether it runs already or not
  /// @throws NoQuorumException when no majority has answered within the time of a lease; it may be
  ///   declared nevertheless. Declare it again
  /// @throws IllegalArgumentException when one is declared with another entry, place or input; when
  ///   the name is empty or too long; when the labels of the place make it larger than 511 KiB
  /// @throws dev.heddle.process.NotSendableException when the input cannot be encoded
  /// @throws IllegalStateException when the cluster has no [ClusterOptions#voters]; in a step of a
  ///   process, which it would hold
  public NamedRef singleton(String name, String entry, @Nullable Object input, Place place)
      throws InterruptedException {
    ClusterNames own = names();
    SingletonDeclarations declarations = Objects.requireNonNull(singletons, "there are names");
    declarations.declare(own, name, entry, input, place);
    return new NamedRef(name, runtime, own);
  }

  /// Uses the shards of a name, from this node on: it hosts some when it has the entry and the
  /// labels of the options. Each node that sends to them, or hosts them, calls this; the name means
  /// the same shards at all nodes. A second call with the same options returns the same shards.
  ///
  /// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=shards}
  ///
  /// @param name 1 to 1,024 bytes in UTF-8
  /// @throws IllegalArgumentException when this node uses the name with other options, the cluster
  ///   has another number of shards by that name, or the name is empty or too long
  /// @throws IllegalStateException when the cluster has no [ClusterOptions#voters]
  public Shards shards(String name, ShardOptions with) {
    NodeShards own = shards;
    if (own == null) {
      throw new IllegalStateException(
          "node '%s' has no shards: say which nodes decide who owns them, by voters(...) of its options"
              .formatted(name()));
    }
    ShardService.checkName(name);
    own.service().open(name, with.use(), with.host(options));
    return new Shards(name, own.service(), local);
  }

  // ---- processes elsewhere ----

  /// Starts a process at a node that has the entry, and waits until it is started or refused, for
  /// at most 30 s. **Suspends** coroutines and bodies of processes; a thread blocks.
  ///
  /// @param entry one of those of [ClusterOptions#entry] of that node
  /// @param with input, name, parent, link, monitor and lifetime; nothing else reaches another node
  /// @param place which node
  /// @return its PID, or that of the process which has the name there
  /// @throws StartRefusedException when no node in touch is such a place, or that node refuses
  /// @throws IllegalArgumentException when the options have anything else, also at this node
  /// @throws dev.heddle.process.NotSendableException when the input cannot be encoded, also at this
  ///   node
  /// @throws DeadlineException when that node has not answered in time; if it starts the process
  ///   nevertheless, it ends it again
  /// @throws IllegalStateException in a step of a process, which it would hold
  public Pid spawn(String entry, StartOptions with, Place place) throws InterruptedException {
    return starts.spawn(entry, with, place);
  }

  /// Starts a process as [#spawn] does, without waiting. To cancel the future gives up: a process
  /// that was started nevertheless is terminated. **Suspends** never.
  ///
  /// @return its dependent stages run on a virtual thread of their own, and may block; it is
  ///   complete already when this node was chosen
  /// @throws IllegalArgumentException when the options have what does not reach another node, also
  ///   when this node is chosen
  public CompletableFuture<Pid> requestSpawn(String entry, StartOptions with, Place place) {
    return local.forCaller(starts.start(entry, with, place));
  }

  /// A process of this node that stands for one at a node that has the entry: it starts that one
  /// linked, passes on to it what comes, in order, and ends as it ends. So a supervisor has
  /// children at other nodes; each restart chooses a node anew. When the connection is lost it
  /// fails 8 s later: by then the other process has ended at its own node.
  ///
  /// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=child}
  ///
  /// @param with the input of the other process
  /// @return makes such a process, for [dev.heddle.process.supervisor.ChildSpec]
  public Callable<Process> child(String entry, StartOptions with, Place place) {
    return () ->
        RemoteChild.of(
            entry, with, (name, options) -> starts.start(name, options, place), CHILD_GRACE);
  }

  // ---- the end ----

  /// Leaves the cluster: waits until what was accepted for other nodes has arrived, then says
  /// farewell. The runtime goes on, without the other nodes, and may join a cluster again. A second
  /// call waits for the first, whatever its own limit is. **Suspends** coroutines and bodies of
  /// processes; a thread blocks.
  ///
  /// @param limit after which it leaves although not all has arrived
  /// @throws DeadlineException when its port is not closed 30 s after the limit
  /// @throws IllegalStateException in a step of a process, which it would hold
  public void leave(Duration limit) throws InterruptedException {
    try {
      local.await("leave", () -> beginLeave(limit), FOREVER);
    } catch (TimeoutException _) {
      throw new IllegalStateException("nobody waits a century");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new DeadlineException(
            "node '%s' has left, but its port is not closed %s later".formatted(name(), ENGINE));
      }
      throw new IllegalStateException("node '" + name() + "' has not left", e.getCause());
    }
  }

  private CompletableFuture<@Nullable Void> beginLeave(Duration limit) {
    CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
    if (leaving.compareAndSet(null, begun)) {
      long nanos = TimeUnit.NANOSECONDS.convert(limit); // 292 years at most
      var _ =
          begun.orTimeout(
              nanos + Math.min(ENGINE.toNanos(), Long.MAX_VALUE - nanos), TimeUnit.NANOSECONDS);
      var _ =
          ThreadTask.start("heddle-leave-" + name(), () -> leaveNow(limit))
              .whenComplete((_, failure) -> {
                if (failure == null) {
                  begun.complete(null);
                } else {
                  begun.completeExceptionally(failure);
                }
              });
    }
    return Objects.requireNonNull(leaving.get()).copy(); // the caller may give up his own only
  }

  private void leaveNow(Duration limit) throws InterruptedException {
    try {
      NodeNames opened = names;
      long began = System.nanoTime();
      if (opened != null) {
        opened.leave(limit);
      }
      node.leave(limit.minusNanos(System.nanoTime() - began));
    } finally {
      closeNames();
      unregister();
    }
    Registration added = beforeShutdown;
    if (added != null) {
      added.close();
    }
    local.releaseNodes();
  }

  private void unregister() {
    ClusterRegistration<ClusterMXBean> registration = managed;
    if (registration != null) {
      registration.leave();
    }
  }

  /// Leaves, with 5 s for what was accepted. If the runtime was started by `join`, it is shut down,
  /// too. An interrupt ends the wait, and the thread stays interrupted.
  ///
  /// @throws IllegalStateException in a process, when the runtime is to be shut down: the process
  ///   would hold it. The node has left nevertheless, except in a step
  @Override
  public void close() {
    IllegalStateException refused = null;
    if (owner == Owner.CLUSTER) {
      try {
        runtime.close(); // which makes it leave first
        return;
      } catch (IllegalStateException e) {
        refused = e;
      }
    }
    try {
      leave(CLOSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (refused != null) {
      throw new IllegalStateException(
          "node '%s' has left the cluster, and its runtime goes on; close it elsewhere: %s"
              .formatted(name(), refused.getMessage()),
          refused);
    }
  }
}
