// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import java.time.Duration;

/// Points in time on the scale of [System#nanoTime()], with saturating sums.
public final class Nanos {
  /// The point that is never reached.
  public static final long NEVER = Long.MAX_VALUE;

  // half of the scale, so that differences of two points do not overflow
  private static final long LONGEST = Long.MAX_VALUE / 2;
  private static final Duration LONGEST_DURATION = Duration.ofNanos(LONGEST);

  private Nanos() {}

  /// `delay` after `now`, or `now` if it is not positive; [#NEVER] if that overflows.
  public static long after(long now, Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      return now;
    }
    return after(now, delay.compareTo(LONGEST_DURATION) >= 0 ? LONGEST : delay.toNanos());
  }

  /// `delay`, in nanoseconds and not negative, after `now`; [#NEVER] if that overflows.
  public static long after(long now, long delay) {
    long nanos = Math.min(delay, LONGEST);
    return now >= LONGEST || nanos == LONGEST ? NEVER : now + nanos;
  }
}
