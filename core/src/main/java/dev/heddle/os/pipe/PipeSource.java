// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.event.source.EventSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The loop's end of a pipe that a child writes.
public interface PipeSource {
  /// Reads at least one byte. **Suspends** until there is one. **Cancelled** no byte is lost.
  ///
  /// @return the number of bytes, or -1 at the end
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  int read(ByteBuffer buffer) throws IOException;

  /// Fires when a read would not suspend.
  EventSource ready();

  /// Closes the pipe; a waiting reader fails. Closing twice does nothing. **Suspends** never.
  void close();
}
