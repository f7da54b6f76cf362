// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;

/// The failure of a supervisor with [Supervisor.FirstStart#FAIL], a child of which could not start.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=childStart}
///
/// @since 0.1
public final class ChildStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param exit of the child, which had not started
  ChildStartException(String child, Exit exit) {
    super(
        "the first start of child '%s' has failed (%s); ".formatted(child, exit.reason())
            + (exit.cause() == null ? "let it end when it has started" : "see the cause")
            + ", or let the supervisor try again: firstStart(RETRY)",
        exit.cause());
  }
}
