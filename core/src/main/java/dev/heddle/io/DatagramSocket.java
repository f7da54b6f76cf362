// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.event.Deadline;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A datagram socket, of UDP or of the UNIX domain. The calls of [AsyncIo] are for a connected
/// socket: one read receives one datagram, which may be empty, and one write sends one.
///
/// {@snippet class=dev.heddle.snippets.IoSnippetsTest region=udp}
///
/// @see Udp
/// @see Unix#bindDatagram
///
/// @since 0.1
public interface DatagramSocket extends AsyncIo {
  /// Receives the oldest datagram; bytes that do not fit into `buffer` are lost. **Suspends** until
  /// there is one. **Cancelled** the next call receives it.
  ///
  /// @return the sender's address; an empty path for a UNIX socket without a name
  /// @throws java.net.PortUnreachableException when the socket is connected and no socket receives
  ///   at the peer's address
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  default SocketAddress receive(ByteBuffer buffer) throws IOException {
    return receive(buffer, Deadline.never());
  }

  /// Receives the oldest datagram, waiting until a deadline at most. Otherwise as
  /// [#receive(ByteBuffer)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  SocketAddress receive(ByteBuffer buffer, Deadline deadline) throws IOException;

  /// Sends all of `buffer` as one datagram, which may be empty (on a connected socket not with the
  /// driver jdk). **Suspends** while the system accepts none. **Cancelled** it was not sent.
  ///
  /// @throws IOException when it is too long, or the system refuses otherwise
  void send(ByteBuffer buffer, SocketAddress to) throws IOException;

  /// Connects the socket: from now on it sends to and receives from one peer only.
  void connect(SocketAddress peer) throws IOException;

  /// Ends the connection to one peer.
  void disconnect() throws IOException;

  /// The local address; null when the socket is closed.
  @Nullable SocketAddress localAddress();

  /// The connected peer; null when there is none or the socket is closed.
  @Nullable SocketAddress remoteAddress();

  /// Sets one of [java.net.StandardSocketOptions].
  ///
  /// @throws UnsupportedOperationException when the system or the loop's driver does not support it
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option. Otherwise as [#setOption].
  <T> T option(SocketOption<T> option) throws IOException;
}
