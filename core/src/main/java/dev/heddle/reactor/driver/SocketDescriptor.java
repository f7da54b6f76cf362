// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
public interface SocketDescriptor extends StreamDescriptor, SocketOptions {
  /// Binds the socket, before it connects.
  void bind(SocketAddress address) throws IOException;

  /// Begins to connect.
  ///
  /// @return whether it has connected; otherwise call [#finishConnect()] when ready for output
  boolean connect(SocketAddress address) throws IOException;

  /// Whether it has connected.
  ///
  /// @throws IOException when the connection attempt has failed
  boolean finishConnect() throws IOException;

  void shutdownInput() throws IOException;

  void shutdownOutput() throws IOException;

  /// The local address; null when it is not bound or closed.
  @Nullable SocketAddress localAddress();

  @Nullable SocketAddress remoteAddress();

  // ---- UNIX sockets, where capabilities() has it ----

  /// The peer's process, effective user and effective group.
  default int[] peerCredentials() throws IOException {
    throw new UnsupportedOperationException(
        this + " has no peer credentials; check capabilities() first");
  }

  /// Writes as much as possible, with descriptors sent along with the first byte.
  ///
  /// @param from with at least one byte
  /// @param numbers the descriptors, which stay open here
  /// @return the number of bytes; 0: would block, and no descriptor was sent
  default int send(ByteBuffer from, int[] numbers) throws IOException {
    throw new UnsupportedOperationException(
        this + " sends no descriptors; check capabilities() first");
  }

  /// Reads available bytes and the descriptors that came with them, of one message at most.
  ///
  /// @param most maximum number of descriptors; if more come, all are closed and the call fails
  /// @param received the list to add them to; the driver owns them and closes them with it
  /// @return the number of bytes; 0: would block; -1 at the end of the input
  default int receive(ByteBuffer into, int most, List<Descriptor> received) throws IOException {
    throw new UnsupportedOperationException(
        this + " receives no descriptors; check capabilities() first");
  }
}
