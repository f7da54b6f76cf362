// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A socket that accepts connections.
public interface ListenerDescriptor extends Descriptor, SocketOptions {
  /// Binds it and begins to listen.
  ///
  /// @param backlog how many connections the system keeps while nobody accepts
  void bind(SocketAddress address, int backlog) throws IOException;

  /// A connection that has come; null: none yet.
  @Nullable SocketDescriptor accept() throws IOException;

  /// Where it listens; null when it is not bound, or closed.
  @Nullable SocketAddress localAddress();
}
