// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Something open whose calls block the thread that makes them.
///
/// **Thread** any but the loop's.
public interface BlockingFile extends OpenFile {
  /// Does what is asked; of a read and a write, with what has room in the buffer, whose position
  /// and limit stay as they are.
  ///
  /// @return as the kind of the operation says
  long perform(FileOperation operation) throws IOException;

  /// Says that what the last read has brought has reached a reader. **Thread** the carrier.
  default void taken() {}

  /// Takes back bytes that were read ahead by a handle that is being closed, before what the last
  /// read has brought, if somebody else may want them. **Thread** the carrier.
  default void unread(ByteBuffer bytes) {}

  /// Says that its handle was closed: what a read under way will bring has no reader. **Thread**
  /// the carrier, before it ends.
  default void closing() {}

  /// Opens one, on one of the threads.
  @FunctionalInterface
  interface Opener {
    /// Does what is asked.
    BlockingFile open(FileOperation operation) throws IOException;
  }
}
