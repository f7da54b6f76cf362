// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.net.memory.Flow.Medium;
import dev.heddle.test.net.memory.MemoryLink.Packet;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A host of a network in memory: its addresses, its ports, its UNIX sockets.
///
/// **Thread** that of the loop whose turn it is.
final class MemoryHost implements SimulatedHost, Peer {
  private static final int MAX_UNIX_PATH = 107; // bytes, Linux's limit

  private final Routes routes;
  private final Traffic traffic;
  private final String name;
  private final Addresses addresses;
  private final Ports tcp = new Ports();
  private final Ports udp = new Ports();
  private final Map<String, ListenerEnd> unix = new HashMap<>();
  private final List<StreamEnd> streams = new ArrayList<>();
  private boolean up = true;

  MemoryHost(Routes routes, Traffic traffic, String name, List<InetAddress> addresses) {
    this.routes = routes;
    this.traffic = traffic;
    this.name = name;
    this.addresses = new Addresses(addresses);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<InetAddress> addresses() {
    return addresses.own();
  }

  @Override
  public InetAddress address() {
    return addresses.own().getFirst();
  }

  @Override
  public boolean isUp() {
    return up;
  }

  @Override
  public boolean owns(InetAddress address) {
    return addresses.owns(address);
  }

  @Override
  public MemoryLink linkTo(Site other) {
    return routes.link(this, other);
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
  void restart() {
    up = true;
  }

  // ---- TCP ----

  /// Takes a port for a socket that will connect.
  InetSocketAddress bind(InetSocketAddress wanted, Object owner) throws BindException {
    addresses.requireOwn(wanted.getAddress());
    return tcp.claim(wanted, owner);
  }

  void unbind(Object owner) {
    tcp.release(owner);
  }

  ListenerEnd listen(InetSocketAddress wanted, int backlog, Runnable onChange)
      throws BindException {
    InetSocketAddress actual = bind(wanted, onChange);
    ListenerEnd listener = new ListenerEnd(actual, backlog, onChange, this::release);
    tcp.transfer(actual, listener);
    return listener;
  }

  /// Begins to connect; the end is told of the outcome.
  ///
  /// @param bound null: the system chooses the port
  StreamEnd connect(@Nullable InetSocketAddress bound, InetSocketAddress to) throws IOException {
    InetSocketAddress remote = Addresses.destination(to);
    InetAddress source = addresses.sourceFor(bound, remote.getAddress());
    InetSocketAddress claimed =
        bound == null ? tcp.claim(new InetSocketAddress(source, 0), remote) : bound;
    StreamEnd end = newEnd(new InetSocketAddress(source, claimed.getPort()), remote);
    tcp.transfer(claimed, end);
    streams.add(end);
    Handshake.begin(routes, traffic, this, end, remote);
    return end;
  }

  @Override
  public @Nullable ListenerEnd listenerAt(InetSocketAddress address) {
    return tcp.ownerOf(address) instanceof ListenerEnd listener ? listener : null;
  }

  @Override
  public void opened(StreamEnd end) {
    streams.add(end);
  }

  @Override
  public StreamEnd newEnd(SocketAddress local, SocketAddress remote) {
    return new StreamEnd(traffic, this, local, remote, this::release);
  }

  private void release(StreamEnd end) {
    streams.remove(end);
    tcp.release(end);
  }

  private void release(ListenerEnd listener) {
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
    ListenerEnd listener = new ListenerEnd(address, backlog, onChange, this::release);
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
    StreamEnd client = newEnd(local, to);
    StreamEnd server = newEnd(to, local);
    connectDirectly(client, server);
    listener.add(server);
    return client;
  }

  private static String checked(UnixDomainSocketAddress address) throws SocketException {
    String path = address.getPath().toString();
    if (path.length() > MAX_UNIX_PATH) {
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
    addresses.requireOwn(wanted.getAddress());
    InetSocketAddress actual = udp.claim(wanted, onChange);
    DatagramEnd end =
        new DatagramEnd(routes, traffic, this, addresses, actual, onChange, udp::release);
    udp.transfer(actual, end);
    return end;
  }

  @Override
  public void arrive(
      Site from, InetSocketAddress source, InetSocketAddress to, byte[] bytes, Runnable refused) {
    if (!up) {
      return;
    }
    InetSocketAddress destination = Addresses.destination(to);
    boolean group = to.getAddress().isMulticastAddress();
    List<Object> receivers = group ? udp.ownersOf(to.getPort()) : udp.receiversOf(destination);
    boolean taken = false;
    for (Object receiver : receivers) {
      taken |= receiver instanceof DatagramEnd end && end.arrive(source, destination, bytes);
    }
    traffic.report(taken ? Kind.DATAGRAM : Kind.DROPPED, from.name() + source, name + to, bytes);
    if (receivers.isEmpty() && !group) {
      linkTo(from).send(new Packet(0, refused, () -> {}));
    }
  }
}
