// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// How many restarts there may be in a period that moves along.
final class RestartLimit {
  final int most;
  final Duration period;
  private final Deque<Long> restarts = new ArrayDeque<>(); // when, oldest first

  RestartLimit(int most, Duration period) {
    this.most = most;
    this.period = period;
  }

  /// Counts a restart.
  ///
  /// @return false when it is one too many
  boolean admits(long nowNanos) {
    while (!restarts.isEmpty()
        && Duration.ofNanos(nowNanos - restarts.getFirst()).compareTo(period) >= 0) {
      restarts.removeFirst();
    }
    if (restarts.size() >= most) {
      return false;
    }
    restarts.addLast(nowNanos);
    return true;
  }
}
