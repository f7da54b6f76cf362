// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.DatagramDescriptor;
import io.netty.channel.unix.DomainDatagramSocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/// A UNIX domain datagram socket.
final class UnixPathDatagram extends UnixNetworkDescriptor implements DatagramDescriptor {
  private @Nullable SocketAddress peer; // as passed to connect
  private boolean bound;

  UnixPathDatagram(DescriptorRegistry registry, NativeSocket socket) {
    super(registry, socket, NativeOptions.OF_PATH_DATAGRAMS);
  }

  /// An error is not final: another receiver may bind the same path.
  @Override
  boolean isEndedByErrors() {
    return false;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    requireOpen();
    if (address == null) {
      throw new UnsupportedAddressTypeException();
    }
    try {
      socket.bindName(address);
    } catch (IOException e) {
      throw Failures.of(e);
    }
    bound = true;
  }

  @Override
  public void connect(@Nullable SocketAddress to) throws IOException {
    requireOpen();
    try {
      if (to != null) {
        socket.connect(socket.netty(to));
      } else if (peer != null) {
        socket.disconnect();
      }
      peer = to;
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  // ---- datagrams ----

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    requireOpen();
    Buffers.requireWritable(into);
    ByteBuffer direct = into.isDirect() ? into : registry().stage();
    int start = into.isDirect() ? into.position() : 0;
    DomainDatagramSocketAddress from;
    try {
      from = socket.recvFromDomainSocket(direct, start, direct.limit());
    } catch (IOException e) {
      throw Failures.of(e);
    }
    if (from == null) {
      afterCall(IN, false);
      return null;
    }
    int n = Math.min(from.receivedAmount(), into.remaining());
    if (!into.isDirect()) {
      into.put(into.position(), direct, 0, n);
    }
    into.position(into.position() + n);
    return NativeSocket.name(from);
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    requireOpen();
    Buffers.requireAlive(from);
    if (to == null && peer == null) {
      throw new NotYetConnectedException();
    }
    byte[] receiver = to == null ? null : socket.nameBytes(to);
    int size = from.remaining();
    ByteBuffer direct = from;
    int start = from.position();
    if (!from.isDirect()) {
      direct = registry().stage();
      UnixDatagram.requireFit(from, direct);
      direct.put(0, from, start, size).limit(size);
      start = 0;
    }
    boolean left = sent(direct, start, start + size, receiver);
    afterCall(OUT, left);
    if (left) {
      from.position(from.limit());
    }
    return left;
  }

  private boolean sent(ByteBuffer direct, int from, int to, byte @Nullable [] receiver)
      throws IOException {
    try {
      if (from == to && DescriptorCalls.areThere()) {
        return DescriptorCalls.sendEmpty(socket.intValue(), receiver);
      }
      int n =
          receiver == null
              ? socket.send(direct, from, to)
              : socket.sendToDomainSocket(direct, from, to, receiver);
      // without native calls, success cannot be detected for an empty datagram
      return n > 0 || from == to;
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) {
    throw new UnsupportedOperationException("UNIX sockets have no multicast groups");
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
