// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;

/// A transfer of a part of a file to a socket that does not copy bytes through the program. It has
/// its own descriptors, so both handles may be closed meanwhile.
///
/// **Thread** [#send] a worker thread, once; [#close] any, after [#send] or instead.
public interface FileTransfer extends AutoCloseable {
  /// The result of [#send] at the end of the file.
  long END = -1;

  /// The result of [#send] for a file that cannot be sent this way.
  long UNSUPPORTED = -2;

  /// Sends.
  ///
  /// @return the number of bytes; 0: would block; [#END]; [#UNSUPPORTED]
  long send() throws IOException;

  @Override
  void close();
}
