// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.net.SocketException;

/// Thrown when a file descriptor that was to be adopted is open but of another kind: a datagram
/// socket, a pipe, a connection. Other code may want it.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=kind}
///
/// @since 0.1
public final class DescriptorTypeException extends SocketException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception whose message says what the descriptor is.
  public DescriptorTypeException(String message) {
    super(message);
  }
}
