// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.test.net.Faults;
import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.net.memory.MemoryLink.Packet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A UDP socket.
///
/// **Thread** that of the loop whose turn it is.
final class DatagramEnd {
  private static final int MAX_BYTES = 65_507; // of a datagram over IPv4

  private final Routes routes;
  private final Traffic traffic;
  private final Peer home;
  private final Addresses addresses;
  private final InetSocketAddress local;
  private final Runnable onChange;
  private final Runnable whenClosed;
  private final ArrayDeque<Datagram> received = new ArrayDeque<>();
  private final List<InetAddress> groups = new ArrayList<>(); // one entry for each join
  private @Nullable InetSocketAddress peer;
  private int receivedBytes;
  private int receiveBuffer = 212_992; // bytes, Linux's default
  private boolean unreachable; // a message of the peer's host that nobody has read
  private boolean closed;

  @SuppressWarnings("ArrayRecordComponent") // no datagram is compared
  private record Datagram(InetSocketAddress from, byte[] bytes) {}

  /// @param home its host, with its addresses
  /// @param owner its host; told when it is closed
  DatagramEnd(
      Routes routes,
      Traffic traffic,
      Peer home,
      Addresses addresses,
      InetSocketAddress local,
      Runnable onChange,
      Consumer<DatagramEnd> owner) {
    this.routes = routes;
    this.traffic = traffic;
    this.home = home;
    this.addresses = addresses;
    this.local = local;
    this.onChange = onChange;
    this.whenClosed = () -> owner.accept(this);
  }

  InetSocketAddress local() {
    return local;
  }

  /// As the system shows it: a socket that is connected has the address that it sends from.
  InetSocketAddress shownLocal() {
    InetSocketAddress to = peer;
    return to == null
        ? local
        : new InetSocketAddress(addresses.sourceFor(local, to.getAddress()), local.getPort());
  }

  @Nullable InetSocketAddress peer() {
    return peer;
  }

  void connect(@Nullable InetSocketAddress to) {
    peer = to;
    unreachable = false;
  }

  void setReceiveBuffer(int bytes) {
    receiveBuffer = bytes;
  }

  void join(InetAddress group) {
    groups.add(group);
  }

  void leave(InetAddress group) {
    groups.remove(group);
  }

  boolean isReadable() {
    return closed || unreachable || !received.isEmpty();
  }

  // ---- sending ----

  void send(ByteBuffer from, InetSocketAddress to) throws IOException {
    throwUnreachable();
    if (from.remaining() > MAX_BYTES) {
      throw new IOException("Message too long");
    }
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    InetSocketAddress source =
        new InetSocketAddress(addresses.sourceFor(local, to.getAddress()), local.getPort());
    if (to.getAddress().isMulticastAddress()) {
      routes.peers().forEach(target -> sendTo(target, source, to, bytes));
    } else {
      Peer target = home.owns(to.getAddress()) ? home : routes.peerAt(to.getAddress());
      if (target != null) {
        sendTo(target, source, to, bytes);
      }
    }
  }

  private void sendTo(Peer target, InetSocketAddress source, InetSocketAddress to, byte[] bytes) {
    MemoryLink link = home.linkTo(target);
    Faults faults = link.faults();
    boolean lost = traffic.chance().happens(Chance.Concern.DATAGRAM_LOSS, faults.datagramLoss());
    boolean twice =
        traffic.chance().happens(Chance.Concern.DUPLICATION, faults.datagramDuplication());
    Runnable isLost =
        () -> traffic.report(Kind.LOST, home.name() + source, target.name() + to, bytes);
    if (lost) {
      isLost.run();
      return;
    }
    Packet packet =
        new Packet(
            bytes.length, () -> target.arrive(home, source, to, bytes, () -> refused(to)), isLost);
    link.send(packet);
    if (twice) {
      link.send(packet);
    }
  }

  // ---- receiving ----

  /// Takes a datagram that has arrived.
  ///
  /// @param destination its address; one of a group is for members only
  /// @return whether it was taken
  boolean arrive(InetSocketAddress from, InetSocketAddress destination, byte[] bytes) {
    InetAddress to = destination.getAddress();
    boolean mine = !to.isMulticastAddress() || groups.contains(to);
    boolean expected = peer == null || from.equals(peer);
    if (!mine || !expected || receivedBytes + bytes.length > receiveBuffer) {
      return false;
    }
    received.add(new Datagram(from, bytes));
    receivedBytes += bytes.length;
    onChange.run();
    return true;
  }

  /// The peer's host has nobody at that port.
  private void refused(InetSocketAddress to) {
    if (to.equals(peer)) {
      unreachable = true;
      onChange.run();
    }
  }

  private void throwUnreachable() throws PortUnreachableException {
    if (unreachable) {
      unreachable = false;
      throw new PortUnreachableException();
    }
  }

  @Nullable InetSocketAddress receive(ByteBuffer into) throws IOException {
    throwUnreachable();
    Datagram oldest = received.poll();
    if (oldest == null) {
      return null;
    }
    receivedBytes -= oldest.bytes().length;
    into.put(oldest.bytes(), 0, Math.min(oldest.bytes().length, into.remaining()));
    return oldest.from();
  }

  void close() {
    closed = true;
    whenClosed.run();
  }

  void vanish() {
    closed = true;
  }
}
