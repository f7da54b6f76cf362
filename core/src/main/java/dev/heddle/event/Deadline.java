// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.scheduler.context.ExecutionContext;
import java.time.Duration;
import java.util.Objects;

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

  /// The point `delay` from now; never when `delay` exceeds 146 years.
  ///
  /// @throws IllegalArgumentException unless `delay` is positive
  public static Deadline after(Duration delay) {
    Objects.requireNonNull(delay, "delay");
    if (!delay.isPositive()) {
      throw new IllegalArgumentException(
          "a limit of " + delay + " has run out before it begins; it must be positive");
    }
    return new Deadline(nanoTimeAfter(now(), delay));
  }

  /// The point that does not come.
  public static Deadline never() {
    return NEVER;
  }

  /// On the scale of its loop's clock, which is that of [System#nanoTime()] outside of tests.
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
        : Duration.ofNanos(Math.max(0, nanoTime - now()));
  }

  /// `delay` after `now`, saturated: the point that does not come, rather than one of the past.
  ///
  /// @param now a time of the loop's clock, read anew
  /// @return `now` when `delay` is zero or negative
  public static long nanoTimeAfter(long now, Duration delay) {
    if (delay.isNegative() || delay.isZero()) {
      return now;
    }
    // half of the scale, so that differences between two points do not overflow
    long nanos =
        delay.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) >= 0
            ? Long.MAX_VALUE / 2
            : delay.toNanos();
    return now > Long.MAX_VALUE / 2 - 1 || nanos == Long.MAX_VALUE / 2
        ? Long.MAX_VALUE
        : now + nanos;
  }

  // the clock of the loop that asks; outside of loops there is only the JVM's
  private static long now() {
    ExecutionContext context = ExecutionContext.current();
    return context == null ? System.nanoTime() : context.host().nanoTime();
  }

  @Override
  public String toString() {
    return isNever() ? "never" : "in " + remaining();
  }
}
