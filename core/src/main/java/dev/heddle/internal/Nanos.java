// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.time.Duration;

/// Points in time on the scale of [System#nanoTime()], with saturating sums.
public final class Nanos {
  /// The point that is never reached.
  public static final long NEVER = Long.MAX_VALUE;

  private Nanos() {}

  /// `delay` after `now`, or `now` if it is not positive; [#NEVER] if that overflows.
  public static long after(long now, Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      return now;
    }
    return after(
        now,
        delay.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) >= 0
            ? Long.MAX_VALUE / 2
            : delay.toNanos());
  }

  /// `delay`, in nanoseconds and not negative, after `now`; [#NEVER] if that overflows.
  public static long after(long now, long delay) {
    // half of the scale, so that differences of two points do not overflow
    long nanos = Math.min(delay, Long.MAX_VALUE / 2);
    return now > Long.MAX_VALUE / 2 - 1 || nanos == Long.MAX_VALUE / 2 ? NEVER : now + nanos;
  }
}
