// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.event.source.HomeLoop;
import dev.heddle.internal.Nanos;
import java.time.Duration;
import java.util.Objects;

/// A point in time that bounds one wait or many.
///
/// An immutable value, which coroutines, loops and threads may share. A wait that it ends throws
/// [dev.heddle.DeadlineException]; the awaited operation continues.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadline}
///
/// @since 0.1
public final class Deadline {
  private static final Deadline NEVER = new Deadline(Nanos.NEVER);

  private final long nanoTime;

  private Deadline(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// The point `delay` from now; [#never()] if `delay` exceeds 146 years.
  ///
  /// @throws IllegalArgumentException unless `delay` is positive
  public static Deadline after(Duration delay) {
    Objects.requireNonNull(delay, "delay");
    if (!delay.isPositive()) {
      throw new IllegalArgumentException(
          "a limit of " + delay + " has expired before it begins; it must be positive");
    }
    return new Deadline(Nanos.after(now(), delay));
  }

  /// The deadline that never expires.
  public static Deadline never() {
    return NEVER;
  }

  /// The point on the scale of the loop's clock, which is that of [System#nanoTime()] outside
  /// tests.
  public long nanoTime() {
    return nanoTime;
  }

  /// Whether it never expires.
  public boolean isNever() {
    return nanoTime == Nanos.NEVER;
  }

  /// The remaining time; zero after it has expired.
  public Duration remaining() {
    return isNever()
        ? Duration.ofNanos(Long.MAX_VALUE)
        : Duration.ofNanos(Math.max(0, nanoTime - now()));
  }

  // the clock of the calling loop; outside loops the JVM's
  private static long now() {
    HomeLoop loop = HomeLoop.current();
    return loop == null ? System.nanoTime() : loop.nanoTime();
  }

  @Override
  public String toString() {
    return isNever() ? "never" : "in " + remaining();
  }
}
