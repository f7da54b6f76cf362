// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import org.jspecify.annotations.Nullable;

/// A connection: bytes in both directions, in order. TCP, or UNIX domain.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=stream}
///
/// @since 0.1
public interface StreamSocket extends AsyncIo {
  /// Says that no more will be written, once all that was given to [#writeLater] has left; reading
  /// goes on. **Suspends** until then.
  ///
  /// @throws IOException when the connection broke
  void shutdownOutput() throws IOException;

  /// Says that no more will be read than what has come: reads find that, then return -1. What comes
  /// later is dropped; the other side of TCP is not told. **Suspends** never.
  ///
  /// @throws IOException when the connection broke
  void shutdownInput() throws IOException;

  /// Where this side is; null when it is closed.
  @Nullable SocketAddress localAddress();

  /// Where the other side is; null when it is closed.
  @Nullable SocketAddress remoteAddress();

  /// Sets one of [java.net.StandardSocketOptions], or of `jdk.net.ExtendedSocketOptions`.
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver does not have it
  /// @throws IOException when the system refuses the value
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option. Else as [#setOption].
  <T> T option(SocketOption<T> option) throws IOException;
}
