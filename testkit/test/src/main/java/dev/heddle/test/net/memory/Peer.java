// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A host, as other hosts know it.
interface Peer extends Site {
  /// Whether packets to an address stay within it.
  boolean owns(InetAddress address);

  /// An end of a stream here, which is not connected.
  StreamEnd newEnd(SocketAddress local, SocketAddress remote);

  /// Who listens at an address; null: nobody.
  @Nullable ListenerEnd listenerAt(InetSocketAddress address);

  /// A connection to it was made, of which this is the end here.
  void opened(StreamEnd end);

  /// A datagram has arrived.
  ///
  /// @param from where it comes from
  /// @param refused called at the sender's, some time later, when nobody receives there
  void arrive(
      Site from, InetSocketAddress source, InetSocketAddress to, byte[] bytes, Runnable refused);
}
