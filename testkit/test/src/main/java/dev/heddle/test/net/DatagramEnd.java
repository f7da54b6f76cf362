// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import dev.heddle.test.net.Link.Packet;
import dev.heddle.test.net.NetworkEvent.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A UDP socket.
///
/// **Thread** that of the loop whose turn it is.
final class DatagramEnd {
  private static final int MAX_BYTES = 65_507; // of a datagram over IPv4

  private final SimulatedNetwork network;
  private final SimulatedHost host;
  private final InetSocketAddress local;
  private final Runnable onChange;
  private final ArrayDeque<Datagram> received = new ArrayDeque<>();
  private final List<InetAddress> groups = new ArrayList<>(); // one entry for each join
  private @Nullable InetSocketAddress peer;
  private int receivedBytes;
  private int receiveBuffer = 212_992; // bytes, Linux's default
  private boolean unreachable; // a message of the peer's host that nobody has read
  private boolean closed;

  private record Datagram(InetSocketAddress from, byte[] bytes) {}

  DatagramEnd(SimulatedHost host, InetSocketAddress local, Runnable onChange) {
    this.network = host.network();
    this.host = host;
    this.local = local;
    this.onChange = onChange;
  }

  SimulatedHost host() {
    return host;
  }

  InetSocketAddress local() {
    return local;
  }

  /// As the system shows it: a socket that is connected has the address that it sends from.
  InetSocketAddress shownLocal() {
    InetSocketAddress to = peer;
    return to == null
        ? local
        : new InetSocketAddress(host.sourceFor(local, to.getAddress()), local.getPort());
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
        new InetSocketAddress(host.sourceFor(local, to.getAddress()), local.getPort());
    if (to.getAddress().isMulticastAddress()) {
      network.hosts().forEach(target -> sendTo(target, source, to, bytes));
    } else {
      SimulatedHost target = network.hostOf(host, to.getAddress());
      if (target != null) {
        sendTo(target, source, to, bytes);
      }
    }
  }

  private void sendTo(
      SimulatedHost target, InetSocketAddress source, InetSocketAddress to, byte[] bytes) {
    Link link = network.link(host, target);
    Faults faults = link.faults();
    boolean lost = network.chance().happens(Chance.Concern.DATAGRAM_LOSS, faults.datagramLoss());
    boolean twice =
        network.chance().happens(Chance.Concern.DUPLICATION, faults.datagramDuplication());
    Runnable isLost =
        () ->
            network.report(
                Kind.LOST,
                host.name() + source,
                target.name() + to,
                bytes.length,
                Flow.hash(bytes));
    if (lost) {
      isLost.run();
      return;
    }
    Packet packet = new Packet(bytes.length, () -> target.arrive(this, source, to, bytes), isLost);
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
  void refused(InetSocketAddress to) {
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
    host.releaseDatagram(this);
  }

  void vanish() {
    closed = true;
  }
}
