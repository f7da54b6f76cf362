// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.Objects;

/// How a supervisor ends a child: how long the child may clean up after it was cancelled.
///
/// No child has more time than is left to its supervisor, when that was cancelled itself, or to a
/// runtime that shuts down.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=supervisor}
///
/// @since 0.1
public sealed interface Shutdown {
  /// The default time of a child that is no supervisor.
  Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /// The child is cancelled, and terminated when it has not ended in time.
  ///
  /// @param timeout not negative
  record Within(Duration timeout) implements Shutdown {
    /// Checks the value.
    ///
    /// @throws IllegalArgumentException when the time is negative
    public Within {
      if (Objects.requireNonNull(timeout, "time").isNegative()) {
        throw new IllegalArgumentException(
            "the time of a shutdown is not negative: %s; immediate() terminates without a request"
                .formatted(timeout));
      }
    }
  }

  /// The child is cancelled, and waited for however long it takes.
  record Unlimited() implements Shutdown {}

  /// The child is terminated without being cancelled first.
  record Immediate() implements Shutdown {}

  /// [#DEFAULT_TIMEOUT]; no limit for a child that is a supervisor, whose own children have their
  /// times.
  record Default() implements Shutdown {}

  /// The child is cancelled, and has this time.
  static Shutdown within(Duration time) {
    return new Within(time);
  }

  /// The child is cancelled, and waited for however long it takes.
  static Shutdown unlimited() {
    return new Unlimited();
  }

  /// The child is terminated without being cancelled first.
  static Shutdown immediate() {
    return new Immediate();
  }

  /// [#DEFAULT_TIMEOUT]; no limit for a child that is a supervisor.
  static Shutdown byDefault() {
    return new Default();
  }
}
