// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A circuit breaker refused a call, because calls before it failed. The cause is the last failure
/// that it counted, if it counted one.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=unavailable}
///
/// @since 0.1
public final class ServiceUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final @Nullable Duration retryAfter;

  /// With what happened, and when it is worth trying again.
  ///
  /// @param retryAfter as [#retryAfter()] will return it
  /// @param cause the last failure that was counted, or null
  public ServiceUnavailableException(
      String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
    super(message, cause);
    this.retryAfter = retryAfter;
  }

  /// How long the circuit breaker will go on refusing every call: zero when trial calls that run
  /// now decide that; null when only [dev.heddle.sync.CircuitBreaker#probe()] or
  /// [dev.heddle.sync.CircuitBreaker#reset()] ends it.
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
