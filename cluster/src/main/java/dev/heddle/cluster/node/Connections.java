// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import dev.heddle.cluster.engine.Engine.Address;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.session.Greetings;
import dev.heddle.cluster.session.Session;
import dev.heddle.cluster.session.SessionEnd;
import dev.heddle.cluster.session.SessionEnd.Reason;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MalformedPacketException;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.Packet;
import dev.heddle.cluster.wire.SessionId;
import dev.heddle.cluster.wire.Urgent;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Pid;
import dev.heddle.process.remote.LocalProcesses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The connections of a node to all others: it joins the engine, the greetings, the sessions and
/// the peers. It has no thread: its caller ticks and flushes. Any thread.
public final class Connections implements Engine.Listener {
  /*
   * From the engine inwards: a packet without a session goes to the greetings, one of a session to
   * its connection, one of no open session is answered by ENDED, so that a node that was paused
   * learns at once that it is no longer in touch.
   *
   * Locks: `table` for the greetings, and one in each connection. No thread takes one while it holds
   * another, since what is delivered under the lock of a connection may be code of users, which may
   * ask for nodes(). So what the greetings want done to connections is done afterwards (`later`).
   *
   * A session is in `sessions` before its first frame can arrive, because a node sends frames only
   * when the other has opened the session, too. It leaves the table after its peer was told of the
   * end. Of a packet that comes between, its session says that it has ended, and delivers nothing.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  private static final int NEWS_LIMIT = 10_000;

  /// What is known of a node, in touch or not.
  private static final class Known {
    Introduction last;
    Address address;
    @Nullable SessionEnd end;

    Known(Introduction last, Address address) {
      this.last = last;
      this.address = address;
    }
  }

  private final NodeSettings settings;
  private final NodeLife self;
  private final Engine engine;
  private final LocalProcesses local;
  private final Groups groups;
  private final LongSupplier clock;
  private final Runnable signal;
  private final BiConsumer<NodeLife, Frame.Service> services;

  private final ReentrantLock table = new ReentrantLock();
  private final Greetings<Address> greetings;
  private final Map<String, Known> known = new LinkedHashMap<>();
  private final List<Runnable> later = new ArrayList<>();

  // written under `table`
  private final Map<SessionId, Connection> sessions = new ConcurrentHashMap<>();
  private final Map<String, KnownNode> peers = new ConcurrentHashMap<>();
  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  private final Queue<Runnable> toEngine = new ConcurrentLinkedQueue<>();
  private final Queue<NodeChange> news = new ConcurrentLinkedQueue<>();
  private final LongAdder malformed = new LongAdder();

  /// @param local the processes of this node
  /// @param clock nanoseconds
  /// @param signal is called when there is something to flush
  /// @param services takes what other parts of the cluster send from node to node
  public Connections(
      NodeSettings settings,
      Engine engine,
      LocalProcesses local,
      Groups groups,
      LongSupplier clock,
      RandomGenerator random,
      Runnable signal,
      BiConsumer<NodeLife, Frame.Service> services) {
    this.settings = settings;
    this.engine = engine;
    this.local = local;
    this.groups = groups;
    this.clock = clock;
    this.signal = signal;
    this.services = services;
    Pid here = local.address(0);
    this.self = new NodeLife(here.node(), here.host(), here.incarnation());
    this.greetings =
        new Greetings<>(
            settings.cluster(),
            self,
            settings.labels(),
            List.copyOf(new TreeSet<>(settings.peers().entries().keySet())),
            settings.times(),
            random);
  }

  /// This node.
  public NodeLife self() {
    return self;
  }

  // ---- what the engine says ----

  @Override
  public void found(Address address) {
    greet(() -> greetings.found(address, clock.getAsLong()));
  }

  @Override
  public void suspected(Address address) {
    for (Connection connection : connections) {
      if (connection.address().equals(address)) {
        connection.suspect();
      }
    }
  }

  @Override
  public void received(Address from, byte[] bytes) {
    try {
      Packet packet = Packet.parse(bytes);
      Urgent content = packet.urgent() ? packet.content() : null;
      if (isGreeting(packet, content)) {
        greet(() -> greetings.received(from, content, clock.getAsLong(), new Wishes()));
      }
      Connection connection = sessions.get(packet.session());
      if (connection != null) {
        connection.received(packet);
      } else if (!packet.session().equals(SessionId.NONE)
          && (content == null || content instanceof Urgent.Ping)) {
        String text = "node '" + self.node() + "' is not in this session";
        send(from, Packet.write(packet.version(), packet.session(), 0, 0, new Urgent.Ended(text)));
      }
    } catch (MalformedPacketException e) {
      malformed.increment();
      LOG.log(System.Logger.Level.DEBUG, "ignored a packet of {0}: {1}", from, e.getMessage());
    }
  }

  private static boolean isGreeting(Packet packet, @Nullable Urgent content) {
    return switch (content) {
      case null -> false;
      case Urgent.Hello _, Urgent.HelloRefused _ -> packet.session().equals(SessionId.NONE);
      case Urgent.Welcome _ -> true;
      default -> false;
    };
  }

  // ---- greetings ----

  private void greet(Runnable action) {
    List<Runnable> wished;
    table.lock();
    try {
      action.run();
      wished = List.copyOf(later);
      later.clear();
    } finally {
      table.unlock();
    }
    wished.forEach(Runnable::run);
  }

  private void send(Address to, byte[] packet) {
    ask(() -> engine.send(to, packet, Engine.Urgency.URGENT));
  }

  /// Calls the engine on the thread of the writer: it may wait.
  private void ask(Runnable call) {
    toEngine.add(call);
    signal.run();
  }

  /// What the greetings want. Under `table`.
  private final class Wishes implements Greetings.Output<Address> {
    @Override
    public void send(Address to, byte[] packet) {
      Connections.this.send(to, packet);
    }

    @Override
    public void open(Address with, Introduction other, SessionId id, int version) {
      Connections.this.open(with, other, id, version);
    }

    @Override
    public void probe(String node) {
      connections.stream()
          .filter(connection -> connection.other().life().node().equals(node))
          .forEach(connection -> later.add(connection::suspect));
    }

    @Override
    public void refused(Address address, String node, String text) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node ''{0}'' and ''{1}'' at {2} do not come together: {3}",
          self.node(),
          node,
          address,
          text);
    }

    @Override
    public void forget(Address address) {
      ask(() -> engine.forget(address));
    }
  }

  private void open(Address with, Introduction other, SessionId id, int version) {
    String node = other.life().node();
    for (Connection old : connections) {
      if (old.other().life().node().equals(node)) {
        SessionEnd end = new SessionEnd(Reason.SUPERSEDED, "it is at another address now: " + with);
        later.add(() -> old.end(end));
      }
    }
    Session session =
        new Session(id, self, other.life(), version, settings.times(), clock.getAsLong());
    Connection opened =
        new Connection(
            with,
            other,
            session,
            clock,
            signal,
            sink ->
                new RemoteNode(
                    other.life(),
                    local,
                    sink,
                    settings.types(),
                    settings.peers(),
                    groups,
                    service -> services.accept(other.life(), service)),
            this::ended);
    sessions.put(id, opened);
    connections.add(opened);
    Known knownNode = known.computeIfAbsent(node, _ -> new Known(other, with));
    knownNode.last = other;
    knownNode.address = with;
    KnownNode peer = peers.get(node);
    if (peer == null) {
      peers.put(node, new KnownNode(opened.peer()));
      local.addNode(node, peers.get(node));
    } else {
      peer.opened(opened.peer());
    }
    tell(new NodeChange.Opened(other.life()));
  }

  private void ended(Connection connection) {
    Session session = connection.session();
    SessionEnd end = session.end();
    if (end == null) {
      throw new IllegalStateException("the session has not ended");
    }
    NodeLife life = connection.other().life();
    greet(() -> {
      sessions.remove(session.id());
      connections.remove(connection);
      Known of = known.get(life.node());
      if (of != null) {
        of.end = end;
      }
      greetings.ended(connection.address(), session.id(), clock.getAsLong());
      tell(new NodeChange.Ended(life, end));
    });
    for (byte[] packet = connection.farewell(); packet != null; packet = connection.farewell()) {
      send(connection.address(), packet);
    }
    ask(() -> engine.forget(connection.address()));
  }

  private void tell(NodeChange change) {
    if (news.size() < NEWS_LIMIT) { // nobody listens
      news.add(change);
    }
    signal.run();
  }

  // ---- time ----

  /// Greets, pings and ends what it is time for. To be called several times in a second.
  public void tick() {
    greet(() -> greetings.tick(clock.getAsLong(), new Wishes()));
    connections.forEach(Connection::tick);
  }

  /// Sends one packet of each connection that has one, and all that is urgent. One thread at a
  /// time; may wait, as the engine may.
  ///
  /// @return whether anything was sent
  public boolean flush() {
    boolean sent = false;
    for (Runnable call = toEngine.poll(); call != null; call = toEngine.poll()) {
      call.run();
      sent = true;
    }
    for (Connection connection : connections) {
      sent |= connection.flush(engine);
    }
    return sent;
  }

  /// Whether the engine is still to be called, for sessions that have ended or addresses.
  boolean hasOutgoing() {
    return !toEngine.isEmpty();
  }

  /// Passes what has changed since the last call to a listener, in order. One thread at a time.
  public void news(Consumer<NodeChange> listener) {
    for (NodeChange change = news.poll(); change != null; change = news.poll()) {
      listener.accept(change);
    }
  }

  // ---- what is seen from outside ----

  /// The peer of a node that is or was in touch, or null.
  public @Nullable RemoteNode peer(String node) {
    KnownNode peer = peers.get(node);
    return peer == null ? null : peer.last();
  }

  /// The nodes in touch.
  public List<Introduction> inTouch() {
    return connections.stream().map(Connection::other).toList();
  }

  /// Sends what another part of the cluster says to the same part at another node.
  ///
  /// @return false when that node is not in touch
  public boolean send(String node, Frame.Service service) {
    for (Connection connection : connections) {
      if (connection.other().life().node().equals(node)) {
        return connection.send(service).isAccepted();
      }
    }
    return false;
  }

  /// All nodes that are or were in touch, and the addresses that are greeted.
  public List<NodeStatus> nodes() {
    List<NodeStatus> all = new ArrayList<>();
    table.lock();
    try {
      known.forEach((node, of) -> all.add(status(of, connectionTo(node))));
      for (Greetings.Greeted<Address> greeted : greetings.greeted()) {
        if (greeted.node() == null) {
          all.add(greeting(greeted));
        }
      }
    } finally {
      table.unlock();
    }
    return all;
  }

  private @Nullable Connection connectionTo(String node) {
    return connections.stream()
        .filter(connection -> connection.other().life().node().equals(node))
        .findFirst()
        .orElse(null);
  }

  private static NodeStatus status(Known of, @Nullable Connection up) {
    SessionEnd end = of.end;
    NodeStatus.State state =
        up != null
            ? NodeStatus.State.UP
            : end != null && end.reason() == Reason.LEFT
                ? NodeStatus.State.LEFT
                : NodeStatus.State.LOST;
    return new NodeStatus(
        of.address,
        of.last.life(),
        state,
        of.last.labels(),
        of.last.entries(),
        up == null ? -1 : up.roundTrip(),
        up == null ? 0 : up.session().outbox().bytes(),
        up == null ? 0 : up.unacknowledgedBytes(),
        up == null ? 0 : up.peer().heldBytes(),
        end,
        null);
  }

  private static NodeStatus greeting(Greetings.Greeted<Address> greeted) {
    return new NodeStatus(
        greeted.address(),
        null,
        NodeStatus.State.GREETING,
        Map.of(),
        List.of(),
        -1,
        0,
        0,
        0,
        null,
        greeted.refusal());
  }

  /// How many packets could not be read.
  public long malformedPackets() {
    return malformed.sum();
  }

  // ---- the end ----

  /// From now on no session is opened.
  public void refuse() {
    greet(greetings::leave);
  }

  /// Whether all that was accepted has arrived at the nodes in touch.
  public boolean isDrained() {
    return connections.stream().allMatch(Connection::isDrained);
  }

  /// Says farewell to all, and ends all sessions.
  public void leave() {
    connections.forEach(Connection::leave);
  }
}
