// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// A coroutine was asked to suspend where the JDK cannot take it off its thread: inside a class
/// initialiser, or below a native frame. Nothing was suspended.
///
/// @since 0.1
public final class PinnedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With the frame that pins.
  public PinnedException(String message) {
    super(message);
  }
}
