// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;

/// A UDP socket.
final class SimulatedDatagram extends SimulatedDescriptor implements DatagramDescriptor {
  private final ProtocolFamily family;
  private final OptionValues options = OptionValues.ofUdp();
  private @Nullable DatagramEnd end;

  SimulatedDatagram(Owner driver, ProtocolFamily family) {
    super(driver);
    this.family = family;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    requireOpen();
    if (end != null) {
      throw new AlreadyBoundException();
    }
    InetSocketAddress wanted =
        address == null ? new InetSocketAddress(0) : SimulatedSocket.inet(family, address);
    end = host().bindDatagram(wanted, this::changed);
    applyOptions();
  }

  private void requireOpen() throws ClosedChannelException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
  }

  private DatagramEnd bound() throws IOException {
    requireOpen();
    if (end == null) {
      bind(null);
    }
    DatagramEnd own = end;
    if (own == null) {
      throw new IllegalStateException("a bound socket without an end");
    }
    return own;
  }

  @Override
  public void connect(@Nullable SocketAddress peer) throws IOException {
    bound().connect(peer == null ? null : SimulatedSocket.inet(family, peer));
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
    DatagramEnd own = bound();
    InetSocketAddress peer = own.peer();
    InetSocketAddress target = to == null ? peer : SimulatedSocket.inet(family, to);
    if (target == null) {
      throw new NotYetConnectedException();
    }
    if (peer != null && !peer.equals(target)) {
      throw new AlreadyConnectedException();
    }
    own.send(from, target);
    return true;
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException {
    if (!group.isMulticastAddress()) {
      throw new IllegalArgumentException("Group not a multicast address");
    }
    DatagramEnd own = bound();
    own.join(group);
    return () -> own.leave(group);
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    DatagramEnd own = end;
    return isClosed() || own == null ? null : own.shownLocal();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return isClosed() || end == null ? null : end.peer();
  }

  @Override
  boolean isReadyNow(Direction direction) {
    return direction == Direction.WRITE || (end != null && end.isReadable());
  }

  @Override
  void closeEnd() {
    if (end != null) {
      end.close();
    }
  }

  private void applyOptions() {
    if (end != null) {
      end.setReceiveBuffer(options.bytes(StandardSocketOptions.SO_RCVBUF, 1));
    }
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    options.set(this::isClosed, option, value);
    applyOptions();
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return options.get(this::isClosed, option);
  }
}
