// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
final class SimulatedSocket extends SimulatedStream implements SocketDescriptor {
  private final ProtocolFamily family;
  private final OptionValues options;
  private @Nullable SocketAddress bound;

  /// A socket that is not connected, or one that was accepted.
  ///
  /// @param accepted null: not connected
  SimulatedSocket(Owner driver, ProtocolFamily family, @Nullable StreamEnd accepted) {
    super(driver, Use.BOTH, accepted);
    this.family = family;
    this.options = isUnix() ? OptionValues.ofUnix() : OptionValues.ofTcp();
  }

  private boolean isUnix() {
    return family == StandardProtocolFamily.UNIX;
  }

  private void requireOpen() throws ClosedChannelException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    requireOpen();
    if (bound != null || end() != null) {
      throw new AlreadyBoundException();
    }
    bound = isUnix() ? unix(address) : host().bind(inet(family, address), this);
  }

  static InetSocketAddress inet(ProtocolFamily family, SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)
        || inet.isUnresolved()
        || (family == StandardProtocolFamily.INET && inet.getAddress() instanceof Inet6Address)) {
      throw new UnsupportedAddressTypeException();
    }
    return inet;
  }

  static UnixDomainSocketAddress unix(SocketAddress address) {
    if (!(address instanceof UnixDomainSocketAddress unix)) {
      throw new UnsupportedAddressTypeException();
    }
    return unix;
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    requireOpen();
    StreamEnd before = end();
    if (before != null) {
      throw before.isConnected()
          ? new AlreadyConnectedException()
          : new ConnectionPendingException();
    }
    StreamEnd own = isUnix() ? connectUnix(unix(address)) : connectInet(inet(family, address));
    applyOptions(own);
    take(own);
    return own.isConnected();
  }

  private StreamEnd connectUnix(UnixDomainSocketAddress to) throws IOException {
    UnixDomainSocketAddress local =
        bound instanceof UnixDomainSocketAddress own ? own : UnixDomainSocketAddress.of("");
    return host().connectUnix(local, to);
  }

  private StreamEnd connectInet(InetSocketAddress to) throws IOException {
    return host().connect(bound instanceof InetSocketAddress own ? own : null, to);
  }

  @Override
  public boolean finishConnect() throws IOException {
    requireOpen();
    StreamEnd own = end();
    if (own == null) {
      throw new NoConnectionPendingException();
    }
    return own.finishConnect();
  }

  @Override
  public void shutdownInput() throws IOException {
    connectedEnd().shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    connectedEnd().shutdownOutput();
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    StreamEnd own = end();
    return isClosed() ? null : own == null ? bound : own.local();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    StreamEnd own = end();
    return isClosed() || own == null || !own.isConnected() ? null : own.remote();
  }

  @Override
  void closeEnd() {
    StreamEnd own = end();
    if (own == null) {
      host().unbind(this);
    } else if (options.isLingerZero() && own.isConnected()) {
      own.abort();
    } else {
      own.close();
    }
  }

  // ---- options ----

  private void applyOptions(StreamEnd own) {
    own.setBuffers(
        options.bytes(StandardSocketOptions.SO_SNDBUF, own.sendBuffer()),
        options.bytes(StandardSocketOptions.SO_RCVBUF, own.receiveBuffer()));
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    options.set(this::isClosed, option, value);
    StreamEnd own = end();
    if (own != null) {
      applyOptions(own);
    }
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return options.get(this::isClosed, option);
  }
}
