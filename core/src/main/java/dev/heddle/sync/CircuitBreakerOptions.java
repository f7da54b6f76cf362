// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Configures a [CircuitBreaker]. An immutable value.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=breakerOptions}
///
/// @since 0.1
public final class CircuitBreakerOptions {
  private static final int FAILURES = 5; // in a row, as the default of other libraries
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofMinutes(1);

  static final RecoveryStrategy DEFAULT_RECOVERY = RecoveryStrategy.exponential(FIRST, MAX);

  @Nullable String name;
  int failures = FAILURES;
  int window = FAILURES;
  int trialCalls = 1;
  RecoveryStrategy recovery = DEFAULT_RECOVERY;
  Predicate<? super Throwable> isFailure = _ -> true;
  CircuitBreaker.Listener listener = (_, _) -> {};

  private CircuitBreakerOptions() {}

  private CircuitBreakerOptions(CircuitBreakerOptions other) {
    this.name = other.name;
    this.failures = other.failures;
    this.window = other.window;
    this.trialCalls = other.trialCalls;
    this.recovery = other.recovery;
    this.isFailure = other.isFailure;
    this.listener = other.listener;
  }

  /// Five failures in a row open it. It stays open for a second, and twice as long after each trial
  /// that fails, up to a minute. One trial call that succeeds closes it.
  public static CircuitBreakerOptions defaults() {
    return new CircuitBreakerOptions();
  }

  /// The same with a name for messages.
  public CircuitBreakerOptions withName(String value) {
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.name = Objects.requireNonNull(value, "name");
    return copy;
  }

  /// The same with another limit of failures.
  ///
  /// @param count this many failures open it, at least 1
  /// @param calls among this many last calls, at least `count`; the same number: failures in a row
  /// @throws IllegalArgumentException unless 1 ≤ `count` ≤ `calls`
  public CircuitBreakerOptions withFailures(int count, int calls) {
    if (count < 1 || calls < count) {
      throw new IllegalArgumentException(
          count
              + " failures of "
              + calls
              + " calls never occur, or always; give 1 <= count <= calls");
    }
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.failures = count;
    copy.window = calls;
    return copy;
  }

  /// The same with another rule of how long it stays open.
  public CircuitBreakerOptions withRecovery(RecoveryStrategy value) {
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.recovery = Objects.requireNonNull(value, "recovery");
    return copy;
  }

  /// The same with another number of trial calls: this many may run at once while it is half open,
  /// and when this many have succeeded, it closes.
  ///
  /// @throws IllegalArgumentException when `count` is less than 1
  public CircuitBreakerOptions withTrialCalls(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(count + " trial calls never close it; give at least 1");
    }
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.trialCalls = count;
    return copy;
  }

  /// The same with a rule of what counts as a failure; any other throwable counts as a success, as
  /// the service has replied. The rule is not asked about what counts as neither: the end of a call
  /// whose caller was cancelled, a [dev.heddle.Cancellation] and a
  /// [dev.heddle.WaitCancelledException] of anything that the call awaits. What the rule itself
  /// throws is logged; then the call counts as a failure.
  public CircuitBreakerOptions withFailureWhen(Predicate<? super Throwable> value) {
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.isFailure = Objects.requireNonNull(value, "isFailure");
    return copy;
  }

  /// The same with a listener that is called after each change of the state, instead of the one
  /// before.
  public CircuitBreakerOptions withListener(CircuitBreaker.Listener value) {
    CircuitBreakerOptions copy = new CircuitBreakerOptions(this);
    copy.listener = Objects.requireNonNull(value, "listener");
    return copy;
  }
}
