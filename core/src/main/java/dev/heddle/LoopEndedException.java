// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// The loop of this coroutine has ended. Code that the loop has abandoned cannot use Heddle.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=ended}
///
/// @since 0.1
public class LoopEndedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With what happened, and what to do about it. For the runtime.
  public LoopEndedException(String message) {
    this(message, null);
  }

  /// With what happened, and what led to it. For the runtime.
  ///
  /// @param cause the reason, or null
  public LoopEndedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
