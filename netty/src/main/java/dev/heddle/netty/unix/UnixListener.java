// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A listening socket.
final class UnixListener extends UnixNetworkDescriptor implements ListenerDescriptor {
  private static final int ADDRESS = 26; // bytes: length, IPv6 address, scope, port, rounded up

  private final byte[] peer = new byte[ADDRESS];

  UnixListener(DescriptorRegistry registry, NativeSocket socket) {
    super(registry, socket, NativeOptions.OF_LISTENERS);
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    requireOpen();
    socket.bindTo(address);
    try {
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
          afterCall(IN, false);
          return null;
        }
        return new UnixSocket(registry(), new NativeSocket(fd, socket.isUnix()), true);
      } catch (IOException e) {
        // that connection is gone; there may be others
        if (Failures.number(e) != Failures.ECONNABORTED) {
          throw Failures.of(e);
        }
      }
    }
  }

  /// Refuses new connections and frees the address.
  @Override
  void hangUp() {
    socket.shutdownBoth();
  }
}
