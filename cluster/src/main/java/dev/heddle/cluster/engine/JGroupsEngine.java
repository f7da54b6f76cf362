// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/// Carries packets over TCP connections of JGroups.
///
/// JGroups is a pipe and a rumour here: it finds nodes, connects, sends again what a broken
/// connection has lost, and says whom it has lost sight of. Its views decide nothing.
///
/// **Thread** any. [#send] puts the packet into a queue of its destination, which has a thread: a
/// stopped node keeps back only what goes to it.
public final class JGroupsEngine implements Engine {
  /*
   * The stack, from below. NodeTransport: bytes, and addresses as they become known. SeedDiscovery:
   * who is there. MERGE3: parts that find each other later. FD_ALL3, VERIFY_SUSPECT2: rumours of
   * silent nodes. NAKACK2, STABLE: messages to all, which only JGroups itself sends. UNICAST3:
   * packets in order, sent again after a broken connection. GMS: views. FRAG4: packets above 60,000
   * bytes.
   *
   * A sender thread for each destination (use_single_sender_thread=false) is vital. With the
   * default, one stopped node held traffic to another for 9.1 s.
   *
   * Idle nodes. Each timer of JGroups wakes threads for nothing. What only JGroups itself needs is
   * seldom: views that were missed, the check of suspicions, the clock of unused connections.
   * UNICAST3 keeps its half second: it sends again what a session counts on.
   *
   * Rejected. FD_SOCK2: a second port, without TLS; a closed connection is a rumour here, within a
   * second of a kill. UFC, MFC: sessions have windows. The name of the cluster in JGroups: it would
   * drop what comes from another cluster without a word; the greeting of sessions says both names.
   */
  private static final Duration RECENT = Duration.ofMinutes(1);
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");
  private static final String CHANNEL = "heddle";
  private static final int ENDED = 1024; // the oldest may be found again
  private static final long LOOK_MILLIS = 5_000; // for what nodes have left that have ended
  private static final int FRAGMENT_BYTES = 60_000;
  private static final int CONNECT_MILLIS = 1_000;
  private static final long CLOCK_MILLIS = 10_000; // of the clock that tells unused connections

  private final Settings settings;
  private final Refusals refusals;
  private final Set<org.jgroups.Address> known = ConcurrentHashMap.newKeySet();

  // Nodes that have ended, and have not greeted since. A start of a node has an address of its own.
  private final Set<org.jgroups.Address> ended =
      Collections.newSetFromMap(
          Collections.synchronizedMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(
                    Map.Entry<org.jgroups.Address, Boolean> eldest) {
                  return size() > ENDED;
                }
              }));

  // set by open, once
  private volatile @Nullable Listener listener;
  private volatile @Nullable JChannel channel;
  private volatile @Nullable NodeTransport transport;
  private volatile @Nullable UNICAST3 unicast;
  private volatile @Nullable DestinationQueues queues;
  private volatile @Nullable InetSocketAddress bound;

  private volatile boolean closed; // any thread; may be while it opens

  /// How an engine connects.
  ///
  /// @param node its name, for logs
  /// @param bind the address it listens at, and the first port that it tries
  /// @param lastPort that it tries: the same for exactly one
  /// @param seeds where other nodes may be, unresolved; its own address may be among them
  /// @param tls for TLS 1.3 on both sides; null for plain TCP
  public record Settings(
      String node,
      InetSocketAddress bind,
      int lastPort,
      List<InetSocketAddress> seeds,
      @Nullable SSLContext tls) {
    public Settings {
      seeds = List.copyOf(seeds);
    }
  }

  record PeerAddress(org.jgroups.Address address) implements Address {
    @Override
    public String toString() {
      return address.toString();
    }
  }

  public JGroupsEngine(Settings settings) {
    this.settings = settings;
    refusals = new Refusals(settings.node);
  }

  /// Where it listens; null before it is open.
  public @Nullable InetSocketAddress bound() {
    return bound;
  }

  /// For tests: from how many addresses it keeps, or misses, packets in order.
  int receiveConnections() {
    UNICAST3 inOrder = unicast;
    return inOrder == null ? 0 : inOrder.getNumReceiveConnections();
  }

  /// For tests: the stack; null before it is open.
  @Nullable JChannel channel() {
    return channel;
  }

  /// For tests: the queues of the packets that leave; null before it is open.
  @Nullable DestinationQueues queues() {
    return queues;
  }

  /// For tests: whether there is a connection to an address.
  boolean isConnectedTo(Address address) {
    NodeTransport tcp = transport;
    return tcp != null && tcp.isConnectedTo(((PeerAddress) address).address);
  }

  /// Whether packets to an address are kept until it has taken them.
  boolean keepsFor(Address address) {
    UNICAST3 inOrder = unicast;
    return inOrder != null && inOrder.hasSendConnectionTo(((PeerAddress) address).address);
  }

  /// Why connections were refused in the last minute, for each address: `from ADDRESS` of those
  /// that came, `to ADDRESS:PORT` of those of this node.
  public Map<String, String> refusedAddresses() {
    return refusals.recent(RECENT);
  }

  /// For tests: waits for the next connection that it refuses, or loses before it has greeted.
  void awaitRefusedConnection() throws InterruptedException {
    refusals.awaitNext();
  }

  @Override
  public void open(Listener to) throws IOException {
    checkBindAddress();
    JGroupsLog.install();
    listener = to;
    for (int port = settings.bind.getPort(); ; port++) {
      try {
        open(port);
        return;
      } catch (PortTakenException e) {
        if (port >= settings.lastPort) {
          throw e;
        }
      }
    }
  }

  private void open(int port) throws IOException {
    JChannel opened = null;
    try {
      opened = channel(port);
      channel = opened;
      checkNotClosed();
      opened.connect(CHANNEL);
      checkNotClosed(); // close() may have come before the channel was connected
      forgetEndedAgainAndAgain();
      bound = new InetSocketAddress(settings.bind.getAddress(), port);
    } catch (Exception e) {
      if (opened != null) {
        opened.close();
      }
      throw explain(e, port);
    }
  }

  private void forgetEndedAgainAndAgain() {
    NodeTransport tcp = transport;
    if (tcp != null) { // its timer ends with it
      var _ =
          tcp.getTimer()
              .scheduleWithFixedDelay(
                  this::forgetEnded, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS, false);
    }
  }

  /// Drops the connections of nodes that have ended, and what UNICAST3 keeps for them. UNICAST3
  /// closes a connection only after four minutes, sends what has no acknowledgement again until
  /// then, and asks for what is missing before a packet that came behind the word of the end: each
  /// keeps a thread as well.
  void forgetEnded() {
    List<org.jgroups.Address> all;
    synchronized (ended) {
      all = List.copyOf(ended);
    }
    UNICAST3 inOrder = unicast;
    if (inOrder != null) {
      all.forEach(inOrder::removeSendConnection);
      all.forEach(inOrder::removeReceiveConnection);
    }
    NodeTransport tcp = transport;
    if (tcp != null) {
      all.forEach(tcp::dropEnded);
    }
  }

  private void checkNotClosed() throws IOException {
    if (closed) {
      throw new ClosedWhileOpeningException(settings.node);
    }
  }

  private static final class ClosedWhileOpeningException extends IOException {
    private static final long serialVersionUID = 1L;

    ClosedWhileOpeningException(String node) {
      super("node '" + node + "' was closed while it joined");
    }
  }

  private void checkBindAddress() throws IOException {
    InetAddress address = settings.bind.getAddress();
    if (address == null) {
      throw new IOException("the host name " + settings.bind.getHostString() + " has no address");
    }
    if (NetworkInterface.getByInetAddress(address) == null && !address.isLoopbackAddress()) {
      throw new IOException(
          address.getHostAddress()
              + " is not an address of this machine; bind to one of those that ip addr shows");
    }
  }

  private IOException explain(Exception e, int port) {
    if (e instanceof ClosedWhileOpeningException closing) {
      return closing;
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return new PortTakenException(taken(port), e);
      }
    }
    return new IOException("JGroups cannot start at " + settings.bind + ": " + e.getMessage(), e);
  }

  private String taken(int port) {
    InetAddress address = settings.bind.getAddress();
    // else the next port is tried, and nobody reads this
    PortOwner owner = port >= settings.lastPort ? PortOwner.of(address, port) : null;
    boolean isOnly = port == settings.bind.getPort();
    return "%s of %s is taken%s by %s; stop it, or bind to another port"
        .formatted(
            isOnly ? "port " + port : "each port up to " + port,
            address.getHostAddress(),
            isOnly ? "" : ", the last one",
            owner == null
                ? "another program (ss -ltnp 'sport = :%d' names it)".formatted(port)
                : owner);
  }

  /// Another program listens at the port.
  public static final class PortTakenException extends IOException {
    private static final long serialVersionUID = 1L;

    PortTakenException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private JChannel channel(int port) throws Exception {
    var tcp = new NodeTransport(this::found, this::closed, this::suspected);
    var threads = new DefaultThreadFactory("heddle-jgroups-" + settings.node, true, true);
    tcp.setThreadFactory(threads);
    tcp.setSocketFactory(new NodeSockets(settings.tls, CONNECT_MILLIS, refusals));
    tcp.setBindAddress(settings.bind.getAddress());
    tcp.setBindPort(port);
    tcp.setPortRange(0);
    tcp.tcpNodelay(true);
    tcp.setSockConnTimeout(CONNECT_MILLIS);
    tcp.setMaxLength(NodeTransport.FRAME_BYTES);
    tcp.enableSuspectEvents(true);
    tcp.logAcceptError(false);
    // Virtual threads started by a coroutine would inherit its scheduler.
    tcp.useVirtualThreads(false);
    tcp.setMessageProcessingPolicy("direct"); // by the reader: delivery never waits
    tcp.setTimeServiceInterval(CLOCK_MILLIS);
    var perDestination = new DestinationQueues();
    queues = perDestination;
    tcp.setBundler(perDestination);
    transport = tcp;
    UNICAST3 inOrder = new UNICAST3();
    unicast = inOrder;
    var seeds = new SeedDiscovery(settings.seeds);
    seeds.asyncDiscoveryUseSeparateThread(true); // a seed that does not answer delays no other
    var stack =
        new JChannel(
            tcp,
            seeds,
            new MERGE3().setMinInterval(1_000).setMaxInterval(3_000),
            new FD_ALL3().setTimeout(9_000).setInterval(3_000),
            new VERIFY_SUSPECT2().setTimeout(2_000), // each of which it wakes a thread, too
            new NAKACK2().useMcastXmit(false).setXmitInterval(5_000),
            inOrder,
            new STABLE().setDesiredAverageGossip(50_000).setMaxBytes(4_000_000),
            new GMS().setJoinTimeout(500).printLocalAddress(false),
            new FRAG4().setFragSize(FRAGMENT_BYTES));
    tcp.disableDiagnostics();
    stack.name(settings.node);
    stack.setDiscardOwnMessages(true);
    stack.setReceiver(new Packets());
    return stack;
  }

  private final class Packets implements Receiver {
    @Override
    public void receive(Message message) {
      received(message);
    }

    @Override
    public void receive(MessageBatch batch) {
      for (Message message : batch) {
        received(message);
      }
    }

    @Override
    public void viewAccepted(View view) {
      for (org.jgroups.Address member : view.getMembersRaw()) {
        found(member);
      }
    }
  }

  private void received(Message message) {
    Listener to = listener;
    org.jgroups.Address from = message.getSrc();
    if (to == null || from == null || !(message instanceof BytesMessage) || !message.hasArray()) {
      return;
    }
    found(from);
    int start = message.getOffset();
    to.received(new PeerAddress(from), message.getArray(), start, start + message.getLength());
  }

  /// Something was heard of an address, or has come from there. That is not a sign of life of one
  /// that has ended: GOODBYE is urgent, and overtakes what was sent before it.
  private void found(org.jgroups.Address address) {
    JChannel here = channel;
    Listener to = listener;
    boolean isOther = here != null && !address.equals(here.getAddress());
    if (to != null && isOther && !ended.contains(address) && known.add(address)) {
      to.found(new PeerAddress(address));
    }
  }

  private void closed(org.jgroups.Address address) {
    Listener to = listener;
    if (to != null) {
      to.closed(new PeerAddress(address));
    }
  }

  private void suspected(org.jgroups.Address address) {
    Listener to = listener;
    if (to != null) {
      to.suspected(new PeerAddress(address));
    }
  }

  @Override
  public Address address() {
    JChannel here = channel;
    if (here == null || here.getAddress() == null) {
      throw new IllegalStateException("the engine of node '" + settings.node + "' is not open");
    }
    return new PeerAddress(here.getAddress());
  }

  @Override
  public void send(Address to, byte[] packet, Urgency urgency) {
    send(new BytesMessage(((PeerAddress) to).address, packet), urgency);
  }

  @Override
  public void send(Address to, Outgoing packet, Urgency urgency) {
    org.jgroups.Address peer = ((PeerAddress) to).address;
    if (packet.length() <= FRAGMENT_BYTES) {
      send(new OutgoingMessage(peer, packet), urgency);
    } else { // it stays pinned: its fragments are parts of the array
      send(new BytesMessage(peer, packet.pin(), 0, packet.length()), urgency);
    }
  }

  private void send(Message message, Urgency urgency) {
    JChannel here = channel;
    if (here == null) {
      throw new IllegalStateException("the engine of node '" + settings.node + "' is not open");
    }
    if (urgency != Urgency.IN_ORDER) {
      message.setFlag(Message.Flag.OOB);
    }
    if (urgency == Urgency.ONCE) {
      message.setFlag(Message.Flag.NO_RELIABILITY); // else UNICAST3 would send it again for ever
    }
    try {
      here.send(message);
    } catch (Exception e) { // closed, or broken: the packet is lost, as an engine may
      LOG.log(System.Logger.Level.DEBUG, "a packet to " + message.getDest() + " was not sent", e);
    }
  }

  @Override
  public void forget(Address address) {
    org.jgroups.Address peer = ((PeerAddress) address).address;
    known.remove(peer);
    closeInOrder(peer);
    NodeTransport tcp = transport;
    DestinationQueues perDestination = queues;
    if (tcp != null && perDestination != null) {
      tcp.drop(peer);
      perDestination.forget(peer);
    }
  }

  /// A member of views that has ended stays in them for ten seconds and longer. Found again it
  /// would be greeted for ever, since nobody tells that it has ended once more.
  @Override
  public void ended(Address address) {
    org.jgroups.Address peer = ((PeerAddress) address).address;
    ended.add(peer); // first: it may be found at any time
    known.remove(peer);
    closeInOrder(peer); // its connection later: the answer to its GOODBYE may be on its way
  }

  private void closeInOrder(org.jgroups.Address peer) {
    UNICAST3 inOrder = unicast;
    if (inOrder != null) {
      inOrder.closeConnection(peer);
    }
  }

  @Override
  public void greeted(Address address) {
    org.jgroups.Address peer = ((PeerAddress) address).address;
    if (ended.remove(peer)) {
      known.add(peer); // whoever says so knows it
    }
  }

  @Override
  public byte[] describe(Address address) {
    NodeTransport tcp = transport;
    return tcp == null ? new byte[0] : tcp.describe(((PeerAddress) address).address);
  }

  @Override
  public void learn(byte[] description) {
    NodeTransport tcp = transport;
    if (tcp != null) {
      tcp.learn(description);
    }
  }

  @Override
  public void close() {
    closed = true; // before the channel is read: open writes it and then reads this
    JChannel here = channel;
    if (here != null) {
      here.close();
    }
  }
}
