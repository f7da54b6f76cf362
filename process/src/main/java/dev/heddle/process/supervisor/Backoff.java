// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// An exponential backoff with jitter: the delay before something is tried again.
///
/// The delay before try n is `min(initial * factor^n, maximum)`, less a random part of it of up to
/// `jitter`. It depends on n only; the caller counts n.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=supervisor}
///
/// @param initial before the first try
/// @param maximum before any try; reduced to a century
/// @param factor from one try to the next, at least 1
/// @param jitter the largest part of the delay that is taken away at random, from 0 to 1
/// @since 0.1
public record Backoff(Duration initial, Duration maximum, double factor, double jitter) {
  private static final Duration CENTURY = Duration.ofDays(36_525);

  private static final Backoff DEFAULT =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), 2, 0.2);

  /// From 100 ms to 30 s, doubled each time, with a jitter of a fifth.
  public static Backoff defaults() {
    return DEFAULT;
  }

  /// Checks the values.
  ///
  /// @throws IllegalArgumentException when a value is out of its range
  public Backoff {
    maximum = maximum.compareTo(CENTURY) > 0 ? CENTURY : maximum;
    boolean times = !initial.isNegative() && initial.compareTo(maximum) <= 0;
    if (!times || !(factor >= 1) || !(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException(
          "0 <= initial <= maximum, factor >= 1 and 0 <= jitter <= 1 are needed: %s, %s, %s, %s"
              .formatted(initial, maximum, factor, jitter));
    }
  }

  /// The delay before a try.
  ///
  /// @param tries that have failed in a row, from 0
  public Duration delay(int tries, RandomGenerator random) {
    double full = Math.min(initial.toNanos() * Math.pow(factor, tries), (double) maximum.toNanos());
    return Duration.ofNanos((long) (full * (1 - jitter * random.nextDouble())));
  }
}
