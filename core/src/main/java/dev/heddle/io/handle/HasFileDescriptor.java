// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.IOException;

/// A handle whose file descriptor may be known.
///
/// **Thread** the loop's.
public interface HasFileDescriptor {
  /// The file descriptor, valid until the handle is closed.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  /// @throws UnsupportedOperationException when it is not known; the message says why
  int fd() throws IOException;
}
