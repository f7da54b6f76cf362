// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
public interface SocketDescriptor extends StreamDescriptor, SocketOptions {
  /// Binds it, before it connects.
  void bind(SocketAddress address) throws IOException;

  /// Begins to connect.
  ///
  /// @return whether it has connected; else [#finishConnect()] is asked at each readiness for
  ///   output
  boolean connect(SocketAddress address) throws IOException;

  /// Whether it has connected.
  ///
  /// @throws IOException when it never will
  boolean finishConnect() throws IOException;

  /// Says that no more will be read.
  void shutdownInput() throws IOException;

  /// Says that no more will be written.
  void shutdownOutput() throws IOException;

  /// Where it is bound; null when it is not, or closed.
  @Nullable SocketAddress localAddress();

  /// Where the other side is; null when there is none, or it is closed.
  @Nullable SocketAddress remoteAddress();
}
