// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.nio.channels.FileChannel;

/// A file that a [FileDriver] has opened.
public interface OpenFile {
  /// Its number in the system; -1: the driver does not say.
  default int fd() {
    return -1;
  }

  /// The same file as a channel of the JDK's, for what only that can do: locks, transfers to
  /// sockets. It is closed with the file; who uses it is not to be interrupted. **Thread** one
  /// beside the loop, before the file is closed; may block.
  ///
  /// @param writing whether it is to be written to, or else to be read
  FileChannel channel(boolean writing) throws IOException;
}
