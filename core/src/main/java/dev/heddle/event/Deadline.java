// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import java.time.Duration;

/// A point in time that bounds one wait or many.
///
/// A value: it may be shared by coroutines, loops and threads. A wait that it ends throws
/// [dev.heddle.DeadlineException]; what was waited for goes on.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadline}
///
/// @since 0.1
public final class Deadline {
  private static final Deadline NEVER = new Deadline(Long.MAX_VALUE);

  private final long nanoTime;

  private Deadline(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// The point `delay` from now; at once when `delay` is zero or negative, never when it exceeds
  /// 146 years.
  public static Deadline after(Duration delay) {
    return new Deadline(nanoTimeAfter(delay));
  }

  /// The point that does not come.
  public static Deadline never() {
    return NEVER;
  }

  /// On the scale of [System#nanoTime()].
  public long nanoTime() {
    return nanoTime;
  }

  /// Whether it does not come.
  public boolean isNever() {
    return nanoTime == Long.MAX_VALUE;
  }

  /// The time left; zero when it is over.
  public Duration remaining() {
    return isNever()
        ? Duration.ofNanos(Long.MAX_VALUE)
        : Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  /// `delay` from now on the scale of [System#nanoTime()], from a fresh clock, rounded up and
  /// saturated.
  public static long nanoTimeAfter(Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      return System.nanoTime();
    }
    // half of the scale, so that differences between two points do not overflow
    long nanos =
        delay.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) >= 0
            ? Long.MAX_VALUE / 2
            : delay.toNanos();
    long now = System.nanoTime();
    return now > Long.MAX_VALUE / 2 - 1 || nanos == Long.MAX_VALUE / 2
        ? Long.MAX_VALUE
        : now + nanos;
  }

  @Override
  public String toString() {
    return isNever() ? "never" : "in " + remaining();
  }
}
