// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.event.source.HomeLoop;
import dev.heddle.internal.Nanos;
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
  private static final Deadline NEVER = new Deadline(Nanos.NEVER);

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
    return new Deadline(Nanos.after(now(), delay));
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
    return nanoTime == Nanos.NEVER;
  }

  /// The time left; zero when it is over.
  public Duration remaining() {
    return isNever()
        ? Duration.ofNanos(Long.MAX_VALUE)
        : Duration.ofNanos(Math.max(0, nanoTime - now()));
  }

  // the clock of the loop that asks; outside of loops there is only the JVM's
  private static long now() {
    HomeLoop loop = HomeLoop.current();
    return loop == null ? System.nanoTime() : loop.nanoTime();
  }

  @Override
  public String toString() {
    return isNever() ? "never" : "in " + remaining();
  }
}
