// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;

/// A piece of a file that is to be sent to a socket without being brought into the program. It has
/// what it needs to itself, so both handles may be closed meanwhile.
///
/// **Thread** [#send] one beside the loop, once; [#close] any, once [#send] has ended or instead.
public interface FileTransfer extends AutoCloseable {
  /// What [#send] returns when the file ends there.
  long END = -1;

  /// What [#send] returns of a file that cannot be sent so.
  long UNSUPPORTED = -2;

  /// Sends.
  ///
  /// @return how many bytes; 0: the other side takes none now; [#END], [#UNSUPPORTED]
  long send() throws IOException;

  /// Gives back what it has to itself.
  @Override
  void close();
}
