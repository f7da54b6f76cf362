// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import org.jspecify.annotations.Nullable;

/// The failure of a supervisor whose children have needed more restarts than its intensity allows.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=restartLimit}
///
/// @since 0.1
public final class RestartLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RestartLimitException(Object child, RestartLimit.Allowed allowed, @Nullable Throwable cause) {
    super(
        "child '%s' has ended, and %d restarts within %s are all that the supervisor may make"
                .formatted(child, allowed.most(), allowed.period())
            + "; see the cause, or give it more with intensity()",
        cause);
  }
}
