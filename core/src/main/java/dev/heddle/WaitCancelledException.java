// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A token or an interrupt ended this wait; what was waited for goes on. The cause says what the
/// token failed with, if it failed; it is an [InterruptedException] when another thread has
/// interrupted the coroutine's thread.
///
/// @since 0.1
public class WaitCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With what happened, and what to do about it.
  public WaitCancelledException(String message) {
    this(message, null);
  }

  /// With what happened, and what led to it.
  ///
  /// @param cause the reason, or null
  public WaitCancelledException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
