// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.DatagramDescriptor;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/// A datagram socket, UDP or UNIX.
final class UnixDatagram extends UnixNetworkDescriptor implements DatagramDescriptor {
  private static final InetSocketAddress ANY = new InetSocketAddress(0);

  private @Nullable SocketAddress peer; // as passed to connect
  private boolean bound;

  UnixDatagram(DescriptorRegistry registry, NativeSocket socket) {
    super(
        registry,
        socket,
        socket.isUnix() ? NativeOptions.OF_PATH_DATAGRAMS : NativeOptions.OF_DATAGRAMS);
  }

  /// An error concerns one datagram: no socket was bound at its target. Another may be bound later.
  @Override
  boolean isEndedByErrors() {
    return false;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    requireOpen();
    socket.bindTo(address == null ? ANY : address); // not a UNIX socket: it needs a name
    bound = true;
  }

  @Override
  public void connect(@Nullable SocketAddress to) throws IOException {
    requireOpen();
    try {
      if (peer != null && (to == null || !socket.isUnix())) {
        socket.disconnect();
        peer = null;
      }
      if (to != null) {
        socket.connect(socket.netty(resolved(to)));
        peer = to;
        bound |= !socket.isUnix();
      }
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private static SocketAddress resolved(SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
      throw new UnsupportedAddressTypeException();
    }
    return address;
  }

  // ---- datagrams ----

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    requireOpen();
    Buffers.requireWritable(into);
    SocketAddress from;
    try {
      from = receive(into, into.isDirect() ? into : registry().stage());
    } catch (PortUnreachableException e) {
      throw e;
    } catch (IOException e) {
      throw Failures.of(e);
    }
    if (from == null) {
      afterCall(IN, false);
    }
    return from;
  }

  private @Nullable SocketAddress receive(ByteBuffer into, ByteBuffer direct) throws IOException {
    int start = direct.position();
    if (socket.isUnix()) {
      var from = socket.recvFromDomainSocket(direct, start, direct.limit());
      return from == null
          ? null
          : received(into, direct, from.receivedAmount(), NativeSocket.name(from));
    }
    var from = socket.recvFrom(direct, start, direct.limit());
    // Netty's address type also carries a size: equal to others, but it must not be kept
    return from == null
        ? null
        : received(
            into,
            direct,
            from.receivedAmount(),
            new InetSocketAddress(from.getAddress(), from.getPort()));
  }

  private static SocketAddress received(
      ByteBuffer into, ByteBuffer direct, int size, SocketAddress from) {
    int n = Math.min(size, into.remaining());
    if (direct != into) {
      into.put(into.position(), direct, 0, n);
    }
    into.position(into.position() + n);
    return from;
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    requireOpen();
    Buffers.requireAlive(from);
    if (to == null && peer == null) {
      throw new NotYetConnectedException();
    }
    int size = from.remaining();
    ByteBuffer direct = from;
    if (!from.isDirect()) {
      direct = registry().stage();
      if (size > direct.capacity()) {
        throw new SocketException("Message too long");
      }
      direct.put(0, from, from.position(), size).limit(size);
    }
    boolean left;
    try {
      left = socket.isUnix() ? sendUnix(direct, to) : sendUdp(direct, to);
    } catch (IOException e) {
      IOException failure = Failures.of(e);
      if (failure instanceof ConnectException && peer != null && !socket.isUnix()) {
        throw (IOException) new PortUnreachableException().initCause(failure);
      }
      throw failure;
    }
    afterCall(OUT, left);
    if (left) {
      from.position(from.limit());
    }
    return left;
  }

  private boolean sendUdp(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    int at = from.position();
    int end = from.limit();
    int n;
    if (to == null) {
      n = socket.send(from, at, end);
    } else if (resolved(to) instanceof InetSocketAddress inet) {
      bound = true;
      n = socket.sendTo(from, at, end, inet.getAddress(), inet.getPort());
    } else {
      throw new UnsupportedAddressTypeException();
    }
    return n > 0 || at == end; // for an empty datagram, success cannot be distinguished
  }

  private boolean sendUnix(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    byte[] receiver = to == null ? null : socket.nameBytes(to);
    int at = from.position();
    int end = from.limit();
    if (at == end && DescriptorCalls.areThere()) {
      return DescriptorCalls.sendEmpty(socket.intValue(), receiver);
    }
    int n =
        receiver == null
            ? socket.send(from, at, end)
            : socket.sendToDomainSocket(from, at, end, receiver);
    return n > 0 || at == end; // without native calls, it cannot be distinguished here either
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException {
    if (socket.isUnix()) {
      throw new UnsupportedOperationException("UNIX sockets have no multicast groups");
    }
    requireOpen();
    Multicast.setMember(socket, group, on, true);
    return () -> {
      if (!isClosed()) {
        Multicast.setMember(socket, group, on, false);
      }
    };
  }

  // ---- description ----

  @Override
  public @Nullable SocketAddress localAddress() {
    return bound ? super.localAddress() : null;
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return isClosed() ? null : peer;
  }
}
