// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.event.Deadline;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Datagrams, of UDP or of UNIX domain sockets. The calls of [AsyncIo] are for a socket that is
/// connected: one read takes one datagram, which may be empty, and one write sends one.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=udp}
///
/// @see Udp
/// @see Unix#bindDatagram
///
/// @since 0.1
public interface DatagramSocket extends AsyncIo {
  /// Takes the oldest datagram; what of it has no room in `buffer` is lost. **Suspends** until
  /// there is one. **Cancelled** it is there for the next call.
  ///
  /// @return who has sent it; of a UNIX socket without a name, an empty path
  /// @throws java.net.PortUnreachableException when it is connected and nobody receives what it has
  ///   sent
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  default SocketAddress receive(ByteBuffer buffer) throws IOException {
    return receive(buffer, Deadline.never());
  }

  /// Takes the oldest datagram, but does not wait beyond a deadline. Else as
  /// [#receive(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  SocketAddress receive(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Sends all of `buffer` as one datagram, which may be empty (the driver jdk refuses that of a
  /// connected socket). **Suspends** while the system takes none. **Cancelled** it was not sent.
  ///
  /// @throws IOException when it is too long, or the system refuses otherwise
  void send(ByteBuffer buffer, SocketAddress to) throws IOException;

  /// From now on it talks to one peer only.
  void connect(SocketAddress peer) throws IOException;

  /// From now on it talks to all again.
  void disconnect() throws IOException;

  /// Where this side is; null when it is closed.
  @Nullable SocketAddress localAddress();

  /// The peer it talks to; null when it talks to all, or is closed.
  @Nullable SocketAddress remoteAddress();

  /// Sets one of [java.net.StandardSocketOptions].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver does not have it
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option. Else as [#setOption].
  <T> T option(SocketOption<T> option) throws IOException;
}
