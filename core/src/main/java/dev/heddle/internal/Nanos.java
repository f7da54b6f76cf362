// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.time.Duration;

/// Points in time on the scale of [System#nanoTime()], in sums that saturate.
public final class Nanos {
  /// The point that does not come.
  public static final long NEVER = Long.MAX_VALUE;

  private Nanos() {}

  /// `delay` after `now`; [#NEVER] rather than a point of the past.
  ///
  /// @return `now` when `delay` is zero or negative
  public static long after(long now, Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      return now;
    }
    // half of the scale, so that differences between two points do not overflow
    long nanos =
        delay.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) >= 0
            ? Long.MAX_VALUE / 2
            : delay.toNanos();
    return now > Long.MAX_VALUE / 2 - 1 || nanos == Long.MAX_VALUE / 2 ? NEVER : now + nanos;
  }
}
