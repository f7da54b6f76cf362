// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

/// When to look: at once, and then once in each interval, counted from when the look before was
/// due. After a look that has taken longer than that the next one is due at once, and no look is
/// made up for. **Thread** one.
final class LookTimes {
  private final long intervalNanos;
  private long dueAt;

  /// @param now of the clock that it is asked with, in nanoseconds
  LookTimes(long intervalNanos, long now) {
    this.intervalNanos = intervalNanos;
    this.dueAt = now;
  }

  boolean isDue(long now) {
    return now - dueAt >= 0;
  }

  /// The look that was due has ended.
  void looked(long now) {
    dueAt += intervalNanos;
    if (isDue(now)) {
      dueAt = now;
    }
  }
}
