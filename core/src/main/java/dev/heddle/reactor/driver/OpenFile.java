// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.nio.channels.FileChannel;

/// A file that a [FileDriver] has opened.
public interface OpenFile {
  /// Its file descriptor; -1 if the driver does not expose it.
  default int fd() {
    return -1;
  }

  /// A JDK channel to the same file, for operations that only the JDK offers: locks, transfers to
  /// sockets. It is closed with the file; threads that use it must not be interrupted. **Thread** a
  /// worker thread, before the file is closed; may block.
  FileChannel channel(boolean writing) throws IOException;
}
