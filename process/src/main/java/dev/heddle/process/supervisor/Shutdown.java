// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.Objects;

/// How a supervisor ends a child: how long the child may clean up after it was asked.
///
/// A deadline from above is kept in any case: when the supervisor itself was cancelled, or the
/// runtime shuts down, no child has more time than is left of that.
///
/// @since 0.1
public sealed interface Shutdown {
  /// The time of a child that is no supervisor, where nothing else is said.
  Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /// It is asked, and terminated when it has not ended in time.
  ///
  /// @param timeout not negative
  record Within(Duration timeout) implements Shutdown {
    /// Checks the value.
    ///
    /// @throws IllegalArgumentException when the time is negative
    public Within {
      if (Objects.requireNonNull(timeout, "time").isNegative()) {
        throw new IllegalArgumentException(
            "the time of a shutdown is not negative: "
                + timeout
                + "; immediate() terminates without a request");
      }
    }
  }

  /// It is asked, and waited for however long it takes.
  record Unlimited() implements Shutdown {}

  /// It is terminated without being asked.
  record Immediate() implements Shutdown {}

  /// [#DEFAULT_TIMEOUT]; where the child is a supervisor, no limit: its own children have their
  /// times.
  record Default() implements Shutdown {}

  /// The child is asked, and has this time.
  static Shutdown within(Duration time) {
    return new Within(time);
  }

  /// The child is asked, and waited for however long it takes.
  static Shutdown unlimited() {
    return new Unlimited();
  }

  /// The child is terminated without being asked.
  static Shutdown immediate() {
    return new Immediate();
  }

  /// [#DEFAULT_TIMEOUT]; where the child is a supervisor, no limit.
  static Shutdown byDefault() {
    return new Default();
  }
}
