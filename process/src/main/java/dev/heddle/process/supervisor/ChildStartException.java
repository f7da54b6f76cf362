// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;

/// The cause of the end of a supervisor that was told to fail when a child cannot start.
///
/// @since 0.1
public final class ChildStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param exit how the child has ended before it had started
  ChildStartException(String child, Exit exit) {
    super(
        "the first start of child '%s' has failed (%s); ".formatted(child, exit.reason())
            + (exit.cause() == null ? "let it end when it has started" : "see the cause")
            + ", or let the supervisor try again: firstStart(RETRY)",
        exit.cause());
  }
}
