// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import java.io.IOException;
import java.nio.ByteBuffer;

/// The loop's end of a pipe that a child reads.
public interface PipeSink {
  /// Writes all of `buffer`. **Suspends** while the child does not take it. **Cancelled** the
  /// buffer's position says how much has left, or is on its way.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the child reads no more
  void write(ByteBuffer buffer) throws IOException;

  /// Closes it behind what was written: the child reads the end; and wakes who writes. Closing
  /// twice does nothing. **Suspends** never.
  void close();

  /// Closes it for a child that is to end: also what of the end is still to be said is left unsaid.
  /// **Suspends** never.
  default void closeAtOnce() {
    close();
  }
}
