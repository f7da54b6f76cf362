// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A socket that accepts connections.
final class UnixListener extends UnixDescriptor implements ListenerDescriptor {
  private static final int ADDRESS = 26; // bytes: length, IPv6 address, scope, port, rounded up

  private final NativeSocket socket;
  private final byte[] peer = new byte[ADDRESS];

  UnixListener(UnixDriver driver, NativeSocket socket) {
    super(driver, socket);
    this.socket = socket;
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    requireOpen();
    try {
      if (socket.isUnix()) {
        socket.bindName(address);
      } else {
        socket.bind(socket.netty(address));
      }
      socket.listen(backlog);
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public @Nullable SocketDescriptor accept() throws IOException {
    requireOpen();
    while (true) {
      try {
        int fd = socket.accept(peer);
        if (fd < 0) {
          used(IN, false);
          return null;
        }
        return new UnixSocket(driver(), new NativeSocket(fd, socket.isUnix()), true);
      } catch (IOException e) {
        // that one has gone meanwhile; there may be others
        if (Failures.number(e) != Failures.ECONNABORTED) {
          throw Failures.of(e);
        }
      }
    }
  }

  /// Whoever connects from now on is refused, and the address is free.
  @Override
  void hangUp() {
    UnixSocket.shutdown(socket);
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isClosed() ? null : socket.local();
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    requireOpen();
    NativeOptions.OF_LISTENERS.set(socket, option, value);
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    requireOpen();
    return NativeOptions.OF_LISTENERS.get(socket, option);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return NativeOptions.OF_LISTENERS.supported();
  }
}
