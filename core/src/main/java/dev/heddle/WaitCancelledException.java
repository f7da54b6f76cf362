// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// A token or an interrupt ended this wait; the awaited operation continues. The cause is the
/// token's failure, if it failed, or an [InterruptedException] if another thread interrupted the
/// coroutine's thread.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=token}
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
