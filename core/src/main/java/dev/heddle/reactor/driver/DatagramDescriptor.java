// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A datagram socket: UDP, or UNIX.
public interface DatagramDescriptor extends Descriptor, SocketOptions {
  /// Binds the socket; null: the system chooses the port.
  void bind(@Nullable SocketAddress address) throws IOException;

  /// Connects the socket to one peer; null: disconnects it.
  void connect(@Nullable SocketAddress peer) throws IOException;

  /// Receives the oldest datagram; bytes that do not fit into `into` are lost.
  ///
  /// @return the sender; null: would block
  @Nullable SocketAddress receive(ByteBuffer into) throws IOException;

  /// Sends all of `from` as one datagram.
  ///
  /// @param to the receiver; null: the connected peer
  /// @return whether it was sent; false: would block, try again when ready for output
  boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException;

  /// Joins a multicast group.
  ///
  /// @return its close leaves the group
  AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException;

  /// The local address; null when it is not bound or closed.
  @Nullable SocketAddress localAddress();

  @Nullable SocketAddress remoteAddress();
}
