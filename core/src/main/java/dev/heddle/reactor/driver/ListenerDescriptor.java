// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A listening socket.
public interface ListenerDescriptor extends Descriptor, SocketOptions {
  /// Binds it and begins to listen.
  ///
  /// @param backlog number of connections that the system queues until they are accepted
  void bind(SocketAddress address, int backlog) throws IOException;

  /// Accepts a connection; null: would block.
  @Nullable SocketDescriptor accept() throws IOException;

  /// The local address; null when it is not bound or closed.
  @Nullable SocketAddress localAddress();
}
