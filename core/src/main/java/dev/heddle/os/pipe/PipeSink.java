// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import java.io.IOException;
import java.nio.ByteBuffer;

/// The loop's end of a pipe that a child reads.
public interface PipeSink {
  /// Writes all of `buffer`. **Suspends** while the child does not read it. **Cancelled** the
  /// buffer's position tells how much was written or is being written.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the child no longer reads
  void write(ByteBuffer buffer) throws IOException;

  /// Closes the pipe: after the bytes written so far the child reads the end, and waiting writers
  /// fail. Closing twice does nothing. **Suspends** never.
  void close();

  /// Closes the pipe of a child that is being ended, without sending the end of the input.
  /// **Suspends** never.
  default void closeAtOnce() {
    close();
  }
}
