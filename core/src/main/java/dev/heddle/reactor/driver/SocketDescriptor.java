// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
public interface SocketDescriptor extends StreamDescriptor, SocketOptions {
  /// Binds it, before it connects.
  void bind(SocketAddress address) throws IOException;

  /// Begins to connect.
  ///
  /// @return whether it has connected; else [#finishConnect()] is asked at each readiness for
  ///   output
  boolean connect(SocketAddress address) throws IOException;

  /// Whether it has connected.
  ///
  /// @throws IOException when it never will
  boolean finishConnect() throws IOException;

  /// Says that no more will be read.
  void shutdownInput() throws IOException;

  /// Says that no more will be written.
  void shutdownOutput() throws IOException;

  /// Where it is bound; null when it is not, or closed.
  @Nullable SocketAddress localAddress();

  /// Where the other side is; null when there is none, or it is closed.
  @Nullable SocketAddress remoteAddress();

  // ---- of UNIX sockets, where the driver says so ----

  /// The process, the effective user and the effective group on the other side.
  default int[] peerCredentials() throws IOException {
    throw new UnsupportedOperationException(this + " does not know; ask capabilities() before");
  }

  /// Writes what the other side takes, and descriptors with the first byte of it.
  ///
  /// @param from with at least one byte
  /// @param numbers they stay open here
  /// @return how many bytes; 0: none now, and no descriptor has left
  default int send(ByteBuffer from, int[] numbers) throws IOException {
    throw new UnsupportedOperationException(this + " sends none; ask capabilities() before");
  }

  /// Reads what is there, and the descriptors that came with it: of one sending at most.
  ///
  /// @param most how many descriptors at most; more are closed, all of them, and the call fails
  /// @param received these are added to; they are the driver's, and closed with it
  /// @return how many bytes; 0: none yet; -1: the other side will send no more
  default int receive(ByteBuffer into, int most, List<Descriptor> received) throws IOException {
    throw new UnsupportedOperationException(this + " receives none; ask capabilities() before");
  }
}
