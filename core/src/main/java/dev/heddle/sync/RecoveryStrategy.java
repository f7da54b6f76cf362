// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.internal.Nanos;
import java.time.Duration;

/// Decides how long a [CircuitBreaker] stays open before it lets trial calls through.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=recovery}
///
/// @since 0.1
@FunctionalInterface
public interface RecoveryStrategy {
  /// How long the circuit breaker stays open. Must neither suspend nor throw.
  ///
  /// @param attempt how often it has opened since it was closed the last time, this time included:
  ///   1 when calls began to fail, 2 when the trial calls failed for the first time
  /// @return the time; zero or less lets the next call through
  Duration openTime(int attempt);

  /// The same time after each failure.
  static RecoveryStrategy fixed(Duration time) {
    return _ -> time;
  }

  /// Twice the time after each trial that fails.
  ///
  /// @param first the time after the first failure
  /// @param most the limit of the time
  static RecoveryStrategy exponential(Duration first, Duration most) {
    return attempt -> {
      long limit = Nanos.after(0, most);
      long nanos = Nanos.after(0, first);
      for (int i = 1; i < attempt && nanos < limit; i++) {
        nanos = nanos > limit / 2 ? limit : 2 * nanos;
      }
      return Duration.ofNanos(Math.min(nanos, limit));
    };
  }

  /// No time: the circuit breaker stays open until [CircuitBreaker#probe()] or
  /// [CircuitBreaker#reset()] is called.
  static RecoveryStrategy manual() {
    return _ -> Duration.ofNanos(Nanos.NEVER);
  }
}
