// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import org.jspecify.annotations.Nullable;

/// A connection that carries bytes in both directions, in order: TCP or UNIX domain.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=stream}
///
/// @since 0.1
public interface StreamSocket extends AsyncIo {
  /// Shuts down the output, once all bytes given to [#writeLater] are written; reading goes on.
  /// **Suspends** until then.
  ///
  /// @throws IOException when the connection fails
  void shutdownOutput() throws IOException;

  /// Shuts down the input: reads return the bytes that have arrived, then -1. Later bytes are
  /// dropped; a TCP peer is not notified. **Suspends** never.
  ///
  /// @throws IOException when the connection fails
  void shutdownInput() throws IOException;

  /// The local address; null when the socket is closed.
  @Nullable SocketAddress localAddress();

  /// The peer's address; null when the socket is closed.
  @Nullable SocketAddress remoteAddress();

  /// Sets one of [java.net.StandardSocketOptions], or of `jdk.net.ExtendedSocketOptions`.
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver does not support it
  /// @throws IOException when the system refuses the value
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option. Otherwise as [#setOption].
  <T> T option(SocketOption<T> option) throws IOException;
}
