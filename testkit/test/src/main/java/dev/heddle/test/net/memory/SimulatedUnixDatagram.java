// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;

/// A UNIX datagram socket.
final class SimulatedUnixDatagram extends SimulatedDescriptor implements DatagramDescriptor {
  private static final UnixDomainSocketAddress NAMELESS = UnixDomainSocketAddress.of("");

  private final OptionValues options = OptionValues.ofUnix();
  private @Nullable UnixDatagramEnd end;

  SimulatedUnixDatagram(Owner driver) {
    super(driver);
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    requireOpen();
    if (end != null) {
      throw new AlreadyBoundException();
    }
    UnixDomainSocketAddress wanted = address == null ? NAMELESS : SimulatedSocket.unix(address);
    end = host().bindUnixDatagram(wanted, this::changed);
  }

  private void requireOpen() throws ClosedChannelException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
  }

  private UnixDatagramEnd bound() throws IOException {
    requireOpen();
    if (end == null) {
      bind(null);
    }
    UnixDatagramEnd own = end;
    if (own == null) {
      throw new IllegalStateException("a bound socket without an end");
    }
    return own;
  }

  @Override
  public void connect(@Nullable SocketAddress peer) throws IOException {
    bound().connect(peer == null ? null : host().unixDatagramAt(SimulatedSocket.unix(peer)));
  }

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    if (into.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    return bound().receive(into);
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    UnixDatagramEnd own = bound();
    UnixDatagramEnd peer = own.peer();
    if (to == null) {
      if (peer == null) {
        throw new NotYetConnectedException();
      }
      return own.send(from, peer);
    }
    if (peer != null && !peer.local().equals(to)) {
      throw new AlreadyConnectedException();
    }
    return own.send(from, peer == null ? host().unixDatagramAt(SimulatedSocket.unix(to)) : peer);
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) {
    throw new UnsupportedOperationException("a UNIX socket joins no group");
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isClosed() || end == null ? null : end.local();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    UnixDatagramEnd own = end;
    UnixDatagramEnd peer = own == null ? null : own.peer();
    return isClosed() || peer == null ? null : peer.local();
  }

  @Override
  boolean isReadyNow(Direction direction) {
    UnixDatagramEnd own = end;
    return direction == Direction.READ
        ? own != null && own.isReadable()
        : own == null || own.isWritable();
  }

  @Override
  void closeEnd() {
    if (end != null) {
      end.close();
    }
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    options.set(this::isClosed, option, value);
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return options.get(this::isClosed, option);
  }
}
