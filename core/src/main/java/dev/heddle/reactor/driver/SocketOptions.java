// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketOption;

/// The options of a socket, by the JDK's names.
public interface SocketOptions {
  /// Sets an option.
  ///
  /// @throws UnsupportedOperationException when the socket does not support it here
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option.
  ///
  /// @throws UnsupportedOperationException when the socket does not support it here
  <T> T getOption(SocketOption<T> option) throws IOException;
}
