// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// An open file, pipe or terminal whose calls block the calling thread.
///
/// **Thread** any but the loop's.
public interface BlockingFile extends OpenFile {
  /// Performs an operation. A read or write uses the space or bytes between the buffer's position
  /// and limit, and leaves both as they are.
  ///
  /// @return as specified by the kind of the operation
  long perform(FileOperation operation) throws IOException;

  /// A reader has received the bytes of the last read. **Thread** the carrier.
  default void onReceived() {}

  /// Accepts bytes that a closing handle had read ahead, to be read before those of the last read,
  /// if another reader may want them. **Thread** the carrier.
  default void unread(ByteBuffer bytes) {}

  /// The handle was closed, and the CLOSE operation follows: the bytes of a read under way have no
  /// reader. **Thread** the carrier.
  default void closing() {}

  /// Opens a file on one of the threads.
  @FunctionalInterface
  interface Opener {
    BlockingFile open(FileOperation operation) throws IOException;
  }
}
