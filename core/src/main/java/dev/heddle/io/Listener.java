// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.SocketAddress;

/// Accepts connections.
///
/// **Thread** the loop that opened it; it is closed with its loop at the latest.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=tcp}
///
/// @since 0.1
public interface Listener extends AutoCloseable {
  /// Accepts the next connection. **Suspends** until there is one. **Cancelled** the next call gets
  /// a connection that has arrived meanwhile.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the system refuses, for example because no file descriptor is left;
  ///   the listener stays usable
  StreamSocket accept() throws IOException;

  /// The local address, with the port that the system chose.
  SocketAddress localAddress();

  /// Whether the listener is open.
  boolean isOpen();

  /// Closes the listener; calls that wait on it fail with an
  /// [java.nio.channels.AsynchronousCloseException]. Closing twice does nothing. **Suspends**
  /// never.
  @Override
  void close();
}
