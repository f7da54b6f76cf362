// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import org.jspecify.annotations.Nullable;

/// Time ran out: of a [dev.heddle.event.Deadline] that bounded one wait, or of a `withTimeout` or
/// `withDeadline` block, whose body was cancelled.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=timeout}
///
/// @since 0.1
public class DeadlineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With what happened, and what to do about it.
  public DeadlineException(String message) {
    this(message, null);
  }

  /// With what happened, and what led to it.
  ///
  /// @param cause the reason, or null
  public DeadlineException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
