// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/// Bytes in one direction or both: a socket, the end of a pipe.
public interface StreamDescriptor extends Descriptor {
  /// Reads what is there.
  ///
  /// @param into any kind of buffer, with room
  /// @return how many bytes; 0: none yet; -1: the other side will send no more
  int read(ByteBuffer into) throws IOException;

  /// Whether nothing was there any more after the last read, which left room in its buffer: the
  /// next one is worth trying only when readiness has been told. Not so where a read may stop
  /// before the end of what is there.
  default boolean isDrained() {
    return true; // readiness is told by level: a wait in vain is answered at once
  }

  /// Writes what the other side takes.
  ///
  /// @param from any kind of buffer
  /// @return how many bytes; 0: none now
  int write(ByteBuffer from) throws IOException;

  /// Writes what the other side takes of several buffers, in one call of the system where it has
  /// one.
  ///
  /// @param length how many buffers, as many as there are from `offset` on at most
  /// @return how many bytes; 0: none now
  long write(ByteBuffer[] from, int offset, int length) throws IOException;

  /// Whether [#send] is served.
  default boolean supportsFileTransfer() {
    return false;
  }

  /// Whether [#prepareFileTransfer] is served, of files that tell their numbers.
  default boolean supportsSendfile() {
    return false;
  }

  /// Prepares to send a piece of a file that tells its number. **Thread** the loop's.
  ///
  /// @param count how many bytes at most
  /// @return null: the other side takes none now
  default @Nullable FileTransfer prepareFileTransfer(OpenFile file, long position, long count)
      throws IOException {
    throw new UnsupportedOperationException(this + " sends none; ask sendsNumberedFiles() before");
  }

  /// Sends bytes of a file without bringing them into the program. **Thread** one beside the loop,
  /// one at a time, perhaps while the descriptor is closed.
  ///
  /// @param count how many at most
  /// @return how many bytes; 0: the other side takes none now
  default long send(FileChannel file, long position, long count) throws IOException {
    throw new UnsupportedOperationException(this + " sends no files; ask sendsFiles() before");
  }
}
