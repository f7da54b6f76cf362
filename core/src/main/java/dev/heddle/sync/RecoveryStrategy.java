// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.internal.Nanos;
import java.time.Duration;
import java.util.Objects;

/// Decides how long a [CircuitBreaker] stays open before it lets trial calls through.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=recovery}
///
/// @since 0.1
@FunctionalInterface
public interface RecoveryStrategy {
  /// How long the circuit breaker stays open. Must neither suspend nor throw. What it throws is
  /// logged, and the time is that of [CircuitBreakerOptions#defaults()].
  ///
  /// @param attempt how often it has opened since it was closed the last time, this time included:
  ///   1 when calls began to fail, 2 when the trial calls failed for the first time
  /// @return the time; zero or less lets the next call through
  Duration openTime(int attempt);

  /// The same time after each failure.
  static RecoveryStrategy fixed(Duration time) {
    return _ -> time;
  }

  /// Twice the time after each trial that fails: a [#backoff] without jitter.
  ///
  /// @param first the time after the first failure, more than zero
  /// @param max the limit of the time
  /// @throws IllegalArgumentException unless `first` is positive and at most `max`
  static RecoveryStrategy exponential(Duration first, Duration max) {
    return backoff(Backoff.exponential(first).withMaxDelay(max));
  }

  /// The delays of a backoff. With jitter, clients of a service that fails do not all try it again
  /// at the same time. With decorrelated jitter, the time does not grow.
  static RecoveryStrategy backoff(Backoff delays) {
    Objects.requireNonNull(delays, "delays");
    return attempt -> delays.delay(attempt, Duration.ZERO);
  }

  /// No time: the circuit breaker stays open until [CircuitBreaker#probe()] or
  /// [CircuitBreaker#reset()] is called.
  static RecoveryStrategy manual() {
    return _ -> Duration.ofNanos(Nanos.NEVER);
  }
}
