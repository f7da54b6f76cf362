// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// An open stream of bytes in both directions.
///
/// Reads are served in the order of their calls, writes too; one read and one write may be under
/// way at the same time. A deadline comes from [dev.heddle.Heddle#within]. **Thread** the loop that
/// opened it; it is closed with its loop at the latest.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=stream}
///
/// @since 0.1
public interface AsyncIo extends AutoCloseable {
  /// Reads at least one byte into `buffer`. **Suspends** until there is one. **Cancelled** no byte
  /// is lost: what was not returned is there for the next read.
  ///
  /// @return how many bytes, or -1 when the other side will send no more; 0 only for a buffer
  ///   without room
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the connection broke
  int read(ByteBuffer buffer) throws IOException;

  /// Writes all of `buffer`. **Suspends** while the other side does not take it. **Cancelled** the
  /// buffer's position says how much has left.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the connection broke
  void write(ByteBuffer buffer) throws IOException;

  /// Says that no more will be written; reading goes on.
  ///
  /// @throws IOException when the connection broke
  void shutdownOutput() throws IOException;

  /// Where the other side is; null when it is closed.
  @Nullable SocketAddress remoteAddress();

  /// Whether it can be used.
  boolean isOpen();

  /// Closes it; who waits on it gets an [java.nio.channels.AsynchronousCloseException]. Closing
  /// twice does nothing. **Suspends** never.
  @Override
  void close();
}
