// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A message cannot be sent to another node: its type is not registered, a value in it cannot be
/// encoded, or it is too large. Nothing was sent. The message names the type, the path to the
/// value, and the size.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=notSendable}
///
/// @since 0.1
public final class NotSendableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message what cannot be sent, why, and what to do about it
  public NotSendableException(String message) {
    super(message);
  }

  /// @param message what cannot be sent, why, and what to do about it
  /// @param cause of the encoder
  public NotSendableException(String message, Throwable cause) {
    super(message, cause);
  }
}
