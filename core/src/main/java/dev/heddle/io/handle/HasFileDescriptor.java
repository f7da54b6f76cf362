// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.IOException;

/// What has a number of the system's, where the driver shows it.
///
/// **Thread** the loop's.
public interface HasFileDescriptor {
  /// Its number, as long as nobody closes it.
  ///
  /// @throws java.nio.channels.ClosedChannelException when it is closed
  /// @throws UnsupportedOperationException when nobody tells; the message says why
  int fd() throws IOException;
}
