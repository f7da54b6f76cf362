// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.net.Flow.Medium;
import dev.heddle.test.net.Link.Packet;
import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.time.Turns;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A host of a simulated network: its addresses, its ports, its UNIX sockets.
///
/// {@snippet class=dev.heddle.test.net.NetworkSnippetsTest region=network}
///
/// **Thread** that of the loop whose turn it is.
public final class SimulatedHost {
  private static final InetAddress LOOPBACK4 = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress LOOPBACK6 = InetAddress.ofLiteral("::1");

  static final List<InetAddress> LOOPBACK = List.of(LOOPBACK4, LOOPBACK6);

  private final SimulatedNetwork network;
  private final String name;
  private final List<InetAddress> addresses;
  private final Ports tcp = new Ports();
  private final Ports udp = new Ports();
  private final Map<String, ListenerEnd> unix = new HashMap<>();
  private final List<StreamEnd> streams = new ArrayList<>();
  private boolean up = true;

  SimulatedHost(SimulatedNetwork network, String name, List<InetAddress> addresses) {
    this.network = network;
    this.name = name;
    this.addresses = addresses;
  }

  /// Its name, which other hosts find its addresses by.
  public String name() {
    return name;
  }

  /// Its addresses in the network; that within the host, `127.0.0.1`, is not among them.
  public List<InetAddress> addresses() {
    return addresses;
  }

  /// Its first address in the network.
  public InetAddress address() {
    return addresses.getFirst();
  }

  /// Whether it answers.
  public boolean isUp() {
    return up;
  }

  /// The driver of a loop that will run here. For nodes, which run the loop.
  ///
  /// @param turn in which it sleeps
  /// @param files those of this host; null: it has none but the machine's
  public HostDriver driver(Turns.Turn turn, @Nullable SimulatedFiles files) {
    return new SimulatedDriver(this, turn, files);
  }

  SimulatedNetwork network() {
    return network;
  }

  /// Cuts its power: its sockets are gone, and no peer is told.
  void crash() {
    up = false;
    List.copyOf(streams).forEach(StreamEnd::vanish);
    streams.clear();
    unix.values().forEach(ListenerEnd::vanish);
    unix.clear();
    tcp.owners().stream()
        .filter(ListenerEnd.class::isInstance)
        .forEach(listener -> ((ListenerEnd) listener).vanish());
    tcp.clear();
    udp.owners().stream()
        .filter(DatagramEnd.class::isInstance)
        .forEach(socket -> ((DatagramEnd) socket).vanish());
    udp.clear();
  }

  /// Puts it back on the network, after a crash.
  public void restart() {
    up = true;
  }

  // ---- addresses ----

  boolean owns(InetAddress address) {
    return address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || addresses.contains(address);
  }

  private void requireOwn(InetAddress address) throws BindException {
    if (!owns(address)) {
      throw new BindException("Cannot assign requested address");
    }
  }

  /// The address that packets to a destination carry as their sender's.
  InetAddress sourceFor(@Nullable InetSocketAddress bound, InetAddress destination) {
    if (bound != null && !bound.getAddress().isAnyLocalAddress()) {
      return bound.getAddress();
    }
    boolean four = destination instanceof Inet4Address;
    if (destination.isLoopbackAddress() || destination.isAnyLocalAddress()) {
      return four ? LOOPBACK4 : LOOPBACK6;
    }
    if (addresses.contains(destination)) {
      return destination;
    }
    return addresses.stream()
        .filter(own -> own instanceof Inet4Address == four)
        .findFirst()
        .orElse(address());
  }

  private static InetSocketAddress destination(InetSocketAddress to) {
    InetAddress address = to.getAddress();
    if (!address.isAnyLocalAddress()) {
      return to;
    }
    return new InetSocketAddress(
        address instanceof Inet4Address ? LOOPBACK4 : LOOPBACK6, to.getPort());
  }

  // ---- TCP ----

  /// Takes a port for a socket that will connect.
  InetSocketAddress bind(InetSocketAddress wanted, Object owner) throws BindException {
    requireOwn(wanted.getAddress());
    return tcp.claim(wanted, owner);
  }

  void unbind(Object owner) {
    tcp.release(owner);
  }

  ListenerEnd listen(InetSocketAddress wanted, int backlog, Runnable onChange)
      throws BindException {
    InetSocketAddress actual = bind(wanted, onChange);
    ListenerEnd listener = new ListenerEnd(this, actual, backlog, onChange);
    tcp.transfer(actual, listener);
    return listener;
  }

  /// Begins to connect; the end is told of the outcome.
  ///
  /// @param bound null: the system chooses the port
  StreamEnd connect(@Nullable InetSocketAddress bound, InetSocketAddress to) throws IOException {
    InetSocketAddress remote = destination(to);
    InetAddress source = sourceFor(bound, remote.getAddress());
    InetSocketAddress claimed =
        bound == null ? tcp.claim(new InetSocketAddress(source, 0), remote) : bound;
    StreamEnd end = new StreamEnd(this, new InetSocketAddress(source, claimed.getPort()), remote);
    tcp.transfer(claimed, end);
    streams.add(end);
    Handshake.begin(end, remote);
    return end;
  }

  @Nullable ListenerEnd listenerAt(InetSocketAddress address) {
    return tcp.ownerOf(address) instanceof ListenerEnd listener ? listener : null;
  }

  void opened(StreamEnd end) {
    streams.add(end);
  }

  void release(StreamEnd end) {
    streams.remove(end);
    tcp.release(end);
  }

  void release(ListenerEnd listener) {
    tcp.release(listener);
    unix.values().remove(listener);
  }

  // ---- UNIX ----

  ListenerEnd listenUnix(UnixDomainSocketAddress address, int backlog, Runnable onChange)
      throws IOException {
    String path = checked(address);
    if (unix.containsKey(path)) {
      throw new BindException("Address already in use");
    }
    ListenerEnd listener = new ListenerEnd(this, address, backlog, onChange);
    unix.put(path, listener);
    return listener;
  }

  StreamEnd connectUnix(UnixDomainSocketAddress local, UnixDomainSocketAddress to)
      throws IOException {
    ListenerEnd listener = unix.get(checked(to));
    if (listener == null) {
      throw new SocketException("No such file or directory");
    }
    if (!listener.hasRoom()) {
      throw new SocketException("Resource temporarily unavailable");
    }
    StreamEnd client = new StreamEnd(this, local, to);
    StreamEnd server = new StreamEnd(this, to, local);
    connectDirectly(client, server);
    listener.add(server);
    return client;
  }

  private static String checked(UnixDomainSocketAddress address) throws SocketException {
    String path = address.getPath().toString();
    if (path.length() > SimulatedNetwork.MAX_UNIX_PATH) {
      throw new SocketException("Unix domain path too long");
    }
    return path;
  }

  /// Joins two ends within this host.
  void connectDirectly(StreamEnd client, StreamEnd server) {
    StreamEnd.join(client, server, Medium.DIRECT);
    client.connectedDirectly();
    server.connectedDirectly();
    streams.add(client);
    streams.add(server);
  }

  // ---- UDP ----

  DatagramEnd bindDatagram(InetSocketAddress wanted, Runnable onChange) throws BindException {
    requireOwn(wanted.getAddress());
    InetSocketAddress actual = udp.claim(wanted, onChange);
    DatagramEnd end = new DatagramEnd(this, actual, onChange);
    udp.transfer(actual, end);
    return end;
  }

  void releaseDatagram(DatagramEnd end) {
    udp.release(end);
  }

  /// A datagram has arrived.
  void arrive(DatagramEnd from, InetSocketAddress source, InetSocketAddress to, byte[] bytes) {
    if (!up) {
      return;
    }
    InetSocketAddress destination = destination(to);
    boolean group = to.getAddress().isMulticastAddress();
    List<Object> receivers = group ? udp.ownersOf(to.getPort()) : udp.receiversOf(destination);
    boolean taken = false;
    for (Object receiver : receivers) {
      taken |= receiver instanceof DatagramEnd end && end.arrive(source, destination, bytes);
    }
    network.report(
        taken ? Kind.DATAGRAM : Kind.DROPPED,
        from.host().name() + source,
        name + to,
        bytes.length,
        Flow.hash(bytes));
    if (receivers.isEmpty() && !group) {
      network.link(this, from.host()).send(new Packet(0, () -> from.refused(to), () -> {}));
    }
  }
}
