// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// How many restarts there may be in a period that moves along.
final class RestartLimit {
  /// What a supervisor was told.
  ///
  /// @param most not negative
  /// @param period more than zero
  record Allowed(int most, Duration period) {
    /// Where nothing else is said.
    static final Allowed USUAL = new Allowed(10, Duration.ofMinutes(1));

    Allowed {
      if (most < 0 || !period.isPositive()) {
        throw new IllegalArgumentException(
            "an intensity is a number of restarts, 0 or more, within a period of more than zero: "
                + most
                + " within "
                + period);
      }
    }
  }

  final Allowed allowed;
  private final Deque<Long> restarts = new ArrayDeque<>(); // when, oldest first

  RestartLimit(Allowed allowed) {
    this.allowed = allowed;
  }

  /// Counts a restart.
  ///
  /// @return false when it is one too many
  boolean admits(long nowNanos) {
    while (!restarts.isEmpty()
        && Duration.ofNanos(nowNanos - restarts.getFirst()).compareTo(allowed.period()) >= 0) {
      restarts.removeFirst();
    }
    if (restarts.size() >= allowed.most()) {
      return false;
    }
    restarts.addLast(nowNanos);
    return true;
  }
}
