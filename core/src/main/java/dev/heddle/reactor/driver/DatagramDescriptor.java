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
  /// Binds it; null: to a port that the system chooses.
  void bind(@Nullable SocketAddress address) throws IOException;

  /// From now on it talks to one peer only; null: to all again.
  void connect(@Nullable SocketAddress peer) throws IOException;

  /// Takes the oldest datagram; what has no room in `into` is lost.
  ///
  /// @return who has sent it; null: there is none yet
  @Nullable SocketAddress receive(ByteBuffer into) throws IOException;

  /// Sends all of `from` as one datagram.
  ///
  /// @param to null: the peer it is connected to
  /// @return whether it has left; else it is asked again at the next readiness for output
  boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException;

  /// Joins a multicast group.
  ///
  /// @return leaves it
  AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException;

  /// Where it is bound; null when it is not, or closed.
  @Nullable SocketAddress localAddress();

  /// The peer it is connected to; null when there is none.
  @Nullable SocketAddress remoteAddress();
}
