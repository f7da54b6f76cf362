// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.engine.Printable;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.listener.Listeners;
import dev.heddle.cluster.node.NodeStatus.State;
import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.peer.UnreachableNodes;
import dev.heddle.cluster.session.Ending;
import dev.heddle.cluster.session.Ending.Cause;
import dev.heddle.cluster.session.Greetings.Unanswered;
import dev.heddle.cluster.wire.Features;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A node of a cluster: a runtime whose processes reach those of other nodes, over an engine.
///
/// **Thread** any. Only [#leave] and [#close] wait.
public final class ClusterNode implements AutoCloseable {
  /*
   * States.   NEW -start-> RUNNING -leave-> LEAVING -close-> CLOSED; close leads to CLOSED from all
   *
   * Threads, platform daemons: `heddle-cluster-NAME`, the agent, does what is due;
   * `heddle-link-NAME`, the writer, packs and sends for all sessions in turn. The window
   * of a session bounds what the engine must be able to queue, so its send need not wait. Loops
   * and workers only wake these two.
   */

  /// What a node is besides its runtime.
  ///
  /// @param cluster nodes of another cluster are refused
  /// @param labels that other nodes see
  /// @param types of the messages
  /// @param offers what other nodes may do here
  /// @param services takes what other parts of the cluster send; must not wait
  /// @param features that it tells the others
  public record Settings(
      String cluster,
      Map<String, String> labels,
      MessageTypes types,
      PeerOptions offers,
      BiConsumer<NodeLife, Frame.Service> services,
      Features features) {
    public Settings {
      labels = Map.copyOf(labels);
    }
  }

  /// A node has come or gone.
  ///
  /// @param ending why its session has ended; null when one has opened
  public record Change(NodeLife node, @Nullable Ending ending) {}

  /// A part of the cluster at this node, which talks to the same part of other nodes.
  public interface Part {
    /// The name of its messages.
    String name();

    /// A session has opened. Called under a lock; must not wait.
    void opened(NodeLife node);

    /// Another node says something, in the order of its session; must not wait.
    void received(NodeLife from, byte[] content);

    /// A session has ended; one message of it may be in `received`. Called under a lock; must not
    /// wait.
    void ended(NodeLife node);

    /// Does what is due, on the agent thread.
    ///
    /// @return when to call it again, of [System#nanoTime], unless the agent is woken before
    long run();

    /// Whether this node leads the log of names, as it tells the others. Any thread.
    default boolean isLeader() {
      return false;
    }

    /// How many entities it runs. Any thread.
    default int entities() {
      return 0;
    }
  }

  private enum Phase {
    NEW,
    RUNNING,
    LEAVING,
    CLOSED
  }

  /// A session with a node, the last one or the one that is open.
  private record Peer(Introduction other, RemoteNode remote, Link link) {}

  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.node");
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long DRAIN_NANOS = 10_000_000; // between looks whether all was taken
  private static final long GOODBYE_NANOS = 6_000_000_000L; // a session with its node ends as late

  private final Engine engine;
  private final LocalProcesses local;
  private final Settings settings;
  private final NodeLife self;
  private final Groups groups;
  private final Connections connections;
  private final WakeableThread agent;
  private final WakeableThread writer;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<String, Peer> peers = new ConcurrentHashMap<>(); // by name of the node
  private final EndedSessions endings = new EndedSessions();
  private final NodeReports reports;

  // the agent only
  private long secondAt = System.nanoTime();
  private final Set<Link> stalled = new HashSet<>();

  private volatile Runnable everySecond = () -> {};
  private final List<Part> parts = new CopyOnWriteArrayList<>();

  // under its lock, which orders the changes
  private final ReentrantLock telling = new ReentrantLock();
  private final Listeners<Change> listeners;
  private final Map<String, Change> told = new TreeMap<>(); // nodes in session, by name

  /// Makes a node; it listens to nothing before [#start].
  ///
  /// @param engine is closed with this node
  /// @param runtime has the name of the node; it stays open
  public ClusterNode(Engine engine, ProcessRuntime runtime, Settings settings) {
    this(engine, runtime, settings, Packet.OLDEST_VERSION, Packet.VERSION);
  }

  /// The same, with other versions of the wire than those of this release: for tests of upgrades.
  public ClusterNode(
      Engine engine,
      ProcessRuntime runtime,
      Settings settings,
      int oldestVersion,
      int newestVersion) {
    this.engine = engine;
    this.local = LocalProcesses.of(runtime);
    this.settings = settings;
    Pid here = local.address(0);
    this.self = new NodeLife(here.node(), here.host(), here.incarnation());
    this.groups = new Groups(local);
    this.listeners = new Listeners<>(local.callbacks());
    this.reports =
        new NodeReports(
            self.node(), () -> NodeLoad.of(runtime.counters()), this::isLeader, this::entities);
    parts.add(new AddressGossip(self.node(), engine, this::addresses, this::send));
    this.agent = new WakeableThread("heddle-cluster-" + self.node(), this::agent);
    this.writer = new WakeableThread("heddle-link-" + self.node(), this::write);
    Introduction introduction =
        new Introduction(
            settings.cluster(),
            self,
            0,
            oldestVersion,
            newestVersion,
            settings.features().bits(),
            settings.labels(),
            List.copyOf(settings.offers().entries().keySet()));
    this.connections =
        new Connections(
            engine,
            introduction,
            new SecureRandom(),
            System::nanoTime,
            new PeersOfSessions(),
            agent::wake,
            agent::wakeBy,
            writer::wake);
  }

  /// Starts to listen, and to look for other nodes.
  ///
  /// @throws IOException when the engine cannot listen
  /// @throws IllegalStateException when it was started before
  public void start() throws IOException {
    if (!phase.compareAndSet(Phase.NEW, Phase.RUNNING)) {
      throw new IllegalStateException("node '%s' is %s".formatted(self.node(), phase.get()));
    }
    try {
      engine.open(connections);
    } catch (IOException | RuntimeException e) {
      phase.set(Phase.CLOSED);
      engine.close();
      throw e;
    }
    local.otherNodes(new UnreachableNodes());
    agent.start();
    writer.start();
  }

  /// Adds a part; before [#start].
  public void add(Part part) {
    parts.add(part);
  }

  /// Has the parts run. Any thread; never waits.
  public void wakeAgent() {
    agent.wake();
  }

  /// Its name and its life.
  public NodeLife self() {
    return self;
  }

  /// Its groups.
  public Groups groups() {
    return groups;
  }

  /// The node of that name, if it is in session.
  ///
  /// @return null when it is not
  public @Nullable RemoteNode node(String name) {
    Peer peer = peers.get(name);
    return peer == null ? null : peer.remote;
  }

  /// What a node says of itself: labels, entries; null when it is not in session.
  public @Nullable Introduction introduction(String name) {
    Peer peer = peers.get(name);
    return peer == null ? null : peer.other;
  }

  /// What all nodes in session say of themselves.
  public List<Introduction> introductions() {
    return peers.values().stream().map(Peer::other).toList();
  }

  private Map<String, Address> addresses() {
    Map<String, Address> all = new TreeMap<>();
    peers.forEach((name, peer) -> all.put(name, peer.link.at));
    return all;
  }

  /// Sends a message of another part of the cluster to the same part of a node.
  ///
  /// @return `FULL` when the outbox is; `UNREACHABLE` when the node is not in session
  public SendResult send(String node, Frame.Service message) {
    Peer peer = peers.get(node);
    return peer == null ? SendResult.UNREACHABLE : peer.link.send(message);
  }

  /// Calls a listener for each node that is in session, then when one comes or goes: in order, on a
  /// thread of its own, where it may wait.
  ///
  /// @return removes it; a call that is under way is not waited for
  public Runnable onChange(Consumer<Change> listener) {
    Runnable remove;
    telling.lock();
    try {
      remove = listeners.add(listener, told.values());
    } finally {
      telling.unlock();
    }
    listeners.call();
    return remove;
  }

  /// The other nodes: those in session, the last 256 that were, and addresses where none has
  /// answered.
  public List<NodeStatus> nodes() {
    // In this order, in which a node comes and goes: else it may be missing for a moment.
    List<Unanswered> unanswered = connections.unanswered();
    Map<String, NodeStatus> found = new TreeMap<>();
    Set<Address> open = new HashSet<>();
    State state = phase.get() == Phase.LEAVING ? State.LEAVING : State.UP;
    peers.forEach((name, peer) -> {
      found.put(name, inSession(peer, state));
      open.add(peer.link.at);
    });
    endings.all().forEach((name, last) -> found.putIfAbsent(name, NodeStatus.lost(last)));
    return NodeStatus.all(found, open, unanswered);
  }

  private NodeStatus inSession(Peer peer, State state) {
    Link.Status now = peer.link.status();
    EndedSessions.Ended last = endings.get(peer.other.life().node());
    return new NodeStatus(
        peer.link.at.toString(),
        peer.other.life(),
        state,
        null,
        peer.other.labels(),
        reports.isLeader(peer.other.life().node()),
        reports.entities(peer.other.life().node()),
        now.roundTripNanos() < 0 ? null : Duration.ofNanos(now.roundTripNanos()),
        now.outboxBytes(),
        now.unacknowledgedBytes(),
        now.windowBytes(),
        now.isStalled(),
        peer.remote.counters(),
        last == null ? null : last.why().toString(),
        last == null ? null : last.at());
  }

  /// How much a node has to do, as it has last told: this one, or one in session.
  ///
  /// @return null when it has told nothing yet, or is not in session
  public @Nullable NodeLoad load(String name) {
    return reports.load(name);
  }

  /// Two nodes that are out of touch with each other, while each is in touch with some node.
  ///
  /// @param time since when, at least
  public record BrokenPair(String one, String other, Duration time) {}

  /// The pairs of nodes that have been broken for 10 s or more, as of the last second. This node
  /// knows whom it sees, and whom those in session with it see.
  public List<BrokenPair> brokenPairs() {
    return reports.broken().stream()
        .map(pair -> new BrokenPair(pair.one(), pair.other(), Duration.ofNanos(pair.nanos())))
        .toList();
  }

  /// Whether this node leads the log of names.
  public boolean isLeader() {
    return parts.stream().anyMatch(Part::isLeader);
  }

  /// How many entities this node runs.
  public int entities() {
    return parts.stream().mapToInt(Part::entities).sum();
  }

  /// Has an action run each second, on the agent: it must not wait.
  public void everySecond(Runnable action) {
    everySecond = action;
  }

  // ---- the end ----

  /// Leaves: opens no more sessions, waits until the other nodes have taken all that was sent, says
  /// goodbye to them, and closes this node once they know. All this at most for a time. An
  /// interrupt closes it at once. Another call waits for the first one, whatever its own time is.
  public void leave(Duration atMost) throws InterruptedException {
    if (phase.compareAndSet(Phase.RUNNING, Phase.LEAVING)) {
      long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(atMost); // 292 years at most
      connections.leave();
      agent.wake();
      try {
        awaitPasses(connections::isDrained, end);
        connections.close();
        long now = System.nanoTime();
        awaitPasses(connections::areGoodbyesAnswered, now + Math.min(GOODBYE_NANOS, end - now));
      } finally {
        close();
      }
    } else if (phase.get() == Phase.LEAVING) {
      closed.await();
    } else {
      close();
    }
  }

  /// Waits until something is so that the agent works on, at most until a time.
  private void awaitPasses(BooleanSupplier isDone, long end) throws InterruptedException {
    while (phase.get() == Phase.LEAVING && !isDone.getAsBoolean() && System.nanoTime() - end < 0) {
      agent.awaitPass(end);
    }
  }

  /// Says goodbye to the other nodes, and ends all sessions. What waits to be sent is dropped.
  @Override
  public void close() {
    Phase before = phase.getAndSet(Phase.CLOSED);
    if (before == Phase.CLOSED) {
      return;
    }
    try {
      connections.close();
      agent.stop();
      writer.stop();
      engine.close();
      peers.values().forEach(peer -> local.removeNode(peer.other.life().node()));
      endings.all().keySet().forEach(local::removeNode);
    } finally {
      closed.countDown();
    }
  }

  /// Whether it leaves, and is not closed yet.
  public boolean isLeaving() {
    return phase.get() == Phase.LEAVING;
  }

  /// Whether it was closed.
  public boolean isClosed() {
    return phase.get() == Phase.CLOSED;
  }

  // ---- the threads ----

  /// @return when to run again
  private long agent() {
    boolean isAwaited = phase.get() == Phase.LEAVING;
    if (isAwaited) {
      connections.requestAcks();
    }
    long at = connections.due();
    for (Part part : parts) {
      at = Math.min(at, part.run());
    }
    return isAwaited ? Math.min(at, System.nanoTime() + DRAIN_NANOS) : Math.min(at, second());
  }

  /// What is done each second.
  ///
  /// @return when again
  private long second() {
    long now = System.nanoTime();
    if (now - secondAt >= 0) {
      secondAt = now + SECOND_NANOS; // first: what fails is not done again at once
      reports.tick(now);
      record();
      everySecond.run();
    }
    return secondAt;
  }

  private void record() {
    stalled.retainAll(connections.links());
    boolean isRecorded = ClusterJfrEvents.areRecorded();
    for (Peer peer : peers.values()) {
      Link.Status now = peer.link.status();
      boolean isNew = now.isStalled() ? stalled.add(peer.link) : stalled.remove(peer.link);
      if (isRecorded) {
        ClusterJfrEvents.Pair pair = pair(peer.other.life());
        if (isNew && now.isStalled()) {
          ClusterJfrEvents.stalled(pair, now.outboxBytes(), now.unacknowledgedBytes());
        }
        ClusterJfrEvents.counts(pair, counts(now, peer.remote.counters()));
      }
    }
  }

  private static ClusterJfrEvents.Counts counts(Link.Status link, RemoteNode.Counters session) {
    return new ClusterJfrEvents.Counts(
        link.roundTripNanos(),
        link.outboxBytes(),
        link.unacknowledgedBytes(),
        link.windowBytes(),
        session.heldBytes(),
        session.pausedReceivers(),
        session.refusedHere(),
        session.refusedThere());
  }

  private ClusterJfrEvents.Pair pair(NodeLife other) {
    return new ClusterJfrEvents.Pair(self.node(), other.node(), other.life());
  }

  private void received(NodeLife from, Frame.Service message) {
    for (Part part : parts) {
      if (part.name().equals(message.name())) {
        part.received(from, message.content());
        return;
      }
    }
    settings.services().accept(from, message);
  }

  private void tell(Change change) {
    telling.lock();
    try {
      if (change.ending() == null) {
        told.put(change.node().node(), change);
      } else {
        told.remove(change.node().node());
      }
      listeners.put(change);
    } finally {
      telling.unlock();
    }
    listeners.call();
  }

  private long write() {
    return connections.write();
  }

  /// Makes a [RemoteNode] of each session.
  private final class PeersOfSessions implements Connections.Sessions {
    @Override
    public Link.Receiver opened(Introduction other, FrameSink sink) {
      NodeLife life = other.life();
      NodeReports.Told told = reports.opened(life.node(), sink);
      RemoteNode remote =
          new RemoteNode(
              life,
              local,
              sink,
              settings.types(),
              settings.offers(),
              groups,
              service -> serve(life, told, service));
      local.removeNode(life.node()); // the last session, which has ended
      local.addNode(life.node(), remote);
      peers.put(life.node(), new Peer(other, remote, (Link) sink));
      parts.forEach(part -> part.opened(life));
      tell(new Change(life, null));
      if (ClusterJfrEvents.areRecorded()) {
        ClusterJfrEvents.opened(pair(life));
      }
      log(System.Logger.Level.DEBUG, "in session with '%s'".formatted(life.node()));
      return new RemoteReceiver(remote);
    }

    private void serve(NodeLife from, NodeReports.Told told, Frame.Service service) {
      if (service.name().equals(NodeReport.SERVICE)) {
        told.received(service.content());
      } else {
        received(from, service);
      }
    }

    @Override
    public void ended(Introduction other, Ending why) {
      NodeLife life = other.life();
      reports.ended(life.node());
      Peer ended = Objects.requireNonNull(peers.get(life.node()), "its session was open");
      RemoteNode.Counters counters = ended.remote.counters();
      String forgotten = endings.put(new EndedSessions.Ended(other, why, Instant.now(), counters));
      peers.remove(life.node()); // the runtime keeps it: what comes now gets NO_CONNECTION
      if (forgotten != null && !peers.containsKey(forgotten)) {
        local.removeNode(forgotten);
      }
      parts.forEach(part -> part.ended(life));
      tell(new Change(life, why));
      if (ClusterJfrEvents.areRecorded()) {
        ClusterJfrEvents.ended(pair(life), why.cause().name(), why.text());
      }
      boolean isOnPurpose = why.cause() == Cause.LEFT || why.cause() == Cause.CLOSED;
      log(
          isOnPurpose ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
          "no longer in session with '%s': %s".formatted(life.node(), why));
    }

    @Override
    public void log(System.Logger.Level level, String line) {
      LOG.log(level, Printable.line("node '" + self.node() + "': " + line));
    }
  }
}
