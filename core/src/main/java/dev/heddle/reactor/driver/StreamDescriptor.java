// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/// A byte stream in one or both directions: a socket, an end of a pipe.
public interface StreamDescriptor extends Descriptor {
  /// Reads available bytes.
  ///
  /// @param into any kind of buffer, with room
  /// @return the number of bytes; 0: would block; -1 at the end of the input
  int read(ByteBuffer into) throws IOException;

  /// Whether the last read, which left room in its buffer, drained the descriptor, so that the next
  /// read should wait for readiness. False where a read may stop before the end of the available
  /// bytes.
  default boolean isDrained() {
    return true; // level-triggered: an unnecessary wait ends at once
  }

  /// Writes as many bytes as possible.
  ///
  /// @param from any kind of buffer
  /// @return the number of bytes; 0: would block
  int write(ByteBuffer from) throws IOException;

  /// Writes as many bytes of several buffers as possible, in one system call if available.
  ///
  /// @param length number of buffers from `offset` on
  /// @return the number of bytes; 0: would block
  long write(ByteBuffer[] from, int offset, int length) throws IOException;

  /// Whether [#send] is supported.
  default boolean supportsFileTransfer() {
    return false;
  }

  /// Whether [#prepareFileTransfer] is supported, for files with a known file descriptor.
  default boolean supportsSendfile() {
    return false;
  }

  /// Prepares to send a part of a file with a known file descriptor. **Thread** the carrier.
  ///
  /// @return null: would block
  default @Nullable FileTransfer prepareFileTransfer(OpenFile file, long position, long count)
      throws IOException {
    throw new UnsupportedOperationException(
        this + " has no sendfile; check supportsSendfile() first");
  }

  /// Sends bytes of a file without copying them through the program. **Thread** a worker thread,
  /// one at a time, perhaps while the descriptor is closed.
  ///
  /// @return the number of bytes; 0: would block
  default long send(FileChannel file, long position, long count) throws IOException {
    throw new UnsupportedOperationException(
        this + " sends no files; check supportsFileTransfer() first");
  }
}
