// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.io.IOException;
import java.net.SocketOption;
import java.util.Set;

/// What can be set on a socket: the options of the JDK, by the JDK's names.
public interface SocketOptions {
  /// Sets an option.
  ///
  /// @throws UnsupportedOperationException when this kind of socket does not have it here
  <T> void setOption(SocketOption<T> option, T value) throws IOException;

  /// The value of an option.
  ///
  /// @throws UnsupportedOperationException when this kind of socket does not have it here
  <T> T getOption(SocketOption<T> option) throws IOException;

  /// The options it has here.
  Set<SocketOption<?>> supportedOptions();
}
