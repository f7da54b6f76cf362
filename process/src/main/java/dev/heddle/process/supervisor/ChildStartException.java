// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import org.jspecify.annotations.Nullable;

/// The cause of the end of a supervisor that was told to fail when a child cannot start.
///
/// @since 0.1
public final class ChildStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ChildStartException(String child, @Nullable Throwable cause) {
    super(
        "the first start of child '%s' has failed".formatted(child)
            + "; see the cause, or let the supervisor try again: firstStart(RETRY)",
        cause);
  }
}
