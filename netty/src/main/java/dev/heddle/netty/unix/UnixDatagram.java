// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.DatagramDescriptor;
import io.netty.channel.unix.DatagramSocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/// A UDP socket.
final class UnixDatagram extends UnixNetworkDescriptor implements DatagramDescriptor {
  private static final InetSocketAddress ANY = new InetSocketAddress(0);

  private @Nullable InetSocketAddress peer; // as passed to connect
  private boolean bound;

  UnixDatagram(DescriptorRegistry registry, NativeSocket socket) {
    super(registry, socket, NativeOptions.OF_DATAGRAMS);
  }

  /// An error concerns one datagram: no socket was bound at its target.
  @Override
  boolean isEndedByErrors() {
    return false;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    requireOpen();
    try {
      socket.bind(socket.netty(address == null ? ANY : address));
    } catch (IOException e) {
      throw Failures.of(e);
    }
    bound = true;
  }

  @Override
  public void connect(@Nullable SocketAddress to) throws IOException {
    requireOpen();
    try {
      if (peer != null) {
        socket.disconnect();
        peer = null;
      }
      if (to != null) {
        InetSocketAddress address = inet(to);
        socket.connect(socket.netty(address));
        peer = address;
        bound = true;
      }
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private static InetSocketAddress inet(SocketAddress address) {
    if (address instanceof InetSocketAddress inet && !inet.isUnresolved()) {
      return inet;
    }
    throw new UnsupportedAddressTypeException();
  }

  // ---- datagrams ----

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    requireOpen();
    Buffers.requireWritable(into);
    try {
      DatagramSocketAddress from = into.isDirect() ? receiveDirect(into) : receiveStaged(into);
      if (from == null) {
        afterCall(IN, false);
        return null;
      }
      // Netty's address type also carries a size: equal to others, but it must not be kept
      return new InetSocketAddress(from.getAddress(), from.getPort());
    } catch (PortUnreachableException e) {
      throw e;
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private @Nullable DatagramSocketAddress receiveDirect(ByteBuffer into) throws IOException {
    int at = into.position();
    DatagramSocketAddress from = socket.recvFrom(into, at, into.limit());
    if (from != null) {
      into.position(at + Math.min(from.receivedAmount(), into.remaining()));
    }
    return from;
  }

  private @Nullable DatagramSocketAddress receiveStaged(ByteBuffer into) throws IOException {
    ByteBuffer stage = registry().stage();
    DatagramSocketAddress from = socket.recvFrom(stage, 0, stage.capacity());
    if (from != null) {
      int n = Math.min(from.receivedAmount(), into.remaining());
      into.put(into.position(), stage, 0, n).position(into.position() + n);
    }
    return from;
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    requireOpen();
    Buffers.requireAlive(from);
    InetSocketAddress receiver = to == null ? peer : inet(to);
    if (receiver == null) {
      throw new java.nio.channels.NotYetConnectedException();
    }
    ByteBuffer direct = from;
    if (!from.isDirect()) {
      ByteBuffer stage = registry().stage();
      requireFit(from, stage);
      direct = stage.put(0, from, from.position(), from.remaining()).limit(from.remaining());
    }
    int size = from.remaining();
    int sent = sendDirect(direct, to == null ? null : receiver);
    boolean left = sent > 0 || size == 0; // for an empty datagram, success cannot be distinguished
    afterCall(OUT, left);
    if (left) {
      from.position(from.limit());
    }
    return left;
  }

  static void requireFit(ByteBuffer from, ByteBuffer stage) throws IOException {
    if (from.remaining() > stage.capacity()) {
      throw new java.net.SocketException("Message too long");
    }
  }

  private int sendDirect(ByteBuffer from, @Nullable InetSocketAddress to) throws IOException {
    int at = from.position();
    try {
      if (to == null) {
        return socket.send(from, at, from.limit());
      }
      bound = true;
      return socket.sendTo(from, at, from.limit(), to.getAddress(), to.getPort());
    } catch (IOException e) {
      IOException failure = Failures.of(e);
      if (failure instanceof java.net.ConnectException && peer != null) {
        throw portUnreachable(failure);
      }
      throw failure;
    }
  }

  private static PortUnreachableException portUnreachable(IOException cause) {
    PortUnreachableException failure = new PortUnreachableException();
    failure.initCause(cause);
    return failure;
  }

  // ---- groups ----

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException {
    requireOpen();
    Membership membership = new Membership(socket, group, on);
    membership.join();
    return () -> {
      if (!isClosed()) {
        membership.leave();
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
