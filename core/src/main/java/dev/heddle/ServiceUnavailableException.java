// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A circuit breaker let a call not through, because calls before it have failed. The cause is the
/// last failure that it counted, if it counted one.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=unavailable}
///
/// @since 0.1
public final class ServiceUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  /// With what happened, and when it is worth trying again.
  ///
  /// @param cause the last failure that was counted, or null
  public ServiceUnavailableException(
      String message, Duration retryAfter, @Nullable Throwable cause) {
    super(message, cause);
    this.retryAfter = retryAfter;
  }

  /// How long the circuit breaker will go on refusing calls; zero when trial calls decide that.
  public Duration retryAfter() {
    return retryAfter;
  }
}
