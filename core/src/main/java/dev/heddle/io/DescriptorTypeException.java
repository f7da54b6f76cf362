// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.net.SocketException;

/// A number that was to be adopted is that of something sound of another kind: a socket for
/// datagrams, a pipe, a connection. Somebody else may want it.
///
/// @since 0.1
public final class DescriptorTypeException extends SocketException {
  private static final long serialVersionUID = 1L;

  /// One that says what it is.
  public DescriptorTypeException(String message) {
    super(message);
  }
}
