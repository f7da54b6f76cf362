// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// How long to wait before each retry: of a [Retry], of a supervisor that restarts a process, or of
/// a [CircuitBreaker], by [RecoveryStrategy#backoff].
///
/// {@snippet class=dev.heddle.snippets.RetrySnippetsTest region=backoff}
///
/// | jitter | the wait before the n-th retry, `d` being the delay without jitter |
/// |---|---|
/// | none | `d` |
/// | [partial][#withJitter(double)] | `d`, less a part of it of up to the share |
/// | [full][#withFullJitter()] | anything from 0 to `d` |
/// | [decorrelated][#withDecorrelatedJitter()] | from the first delay to 3 times the wait before |
///
/// Many clients that fail together without jitter also retry together. No wait is longer than the
/// maximum, except after a [dev.heddle.ServiceUnavailableException], as [Retry] says. The maximum
/// is 30 seconds by default, or the first delay if that is longer.
///
/// An immutable value, which coroutines and loops may share, if its source of random numbers may be
/// shared.
///
/// @since 0.1
public final class Backoff {
  private static final Duration MAX = Duration.ofSeconds(30);

  private enum Jitter {
    NONE,
    SHARE,
    DECORRELATED
  }

  private final long firstNanos;
  private final double factor;
  private final long maxNanos;
  private final Jitter jitter;
  private final double share; // of a delay, that chance may take away
  private final @Nullable RandomGenerator random; // null: the thread's

  private Backoff(
      long firstNanos,
      double factor,
      long maxNanos,
      Jitter jitter,
      double share,
      @Nullable RandomGenerator random) {
    this.firstNanos = firstNanos;
    this.factor = factor;
    this.maxNanos = maxNanos;
    this.jitter = jitter;
    this.share = share;
    this.random = random;
  }

  /// The same delay each time.
  ///
  /// @param delay zero or more; with zero, other coroutines run before each retry
  /// @throws IllegalArgumentException when it is negative
  public static Backoff constant(Duration delay) {
    long nanos = nanos(delay);
    return new Backoff(nanos, 1, Math.max(nanos, MAX.toNanos()), Jitter.NONE, 0, null);
  }

  /// A delay that doubles each time.
  ///
  /// @param first before the first retry, more than zero
  /// @throws IllegalArgumentException unless it is positive
  public static Backoff exponential(Duration first) {
    long nanos = positive(first);
    return new Backoff(nanos, 2, Math.max(nanos, MAX.toNanos()), Jitter.NONE, 0, null);
  }

  private static long nanos(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay + " is over before it begins");
    }
    return saturated(delay);
  }

  private static long positive(Duration delay) {
    if (!delay.isPositive()) {
      throw new IllegalArgumentException(
          "a delay of " + delay + " does not grow; give more than zero, or use constant()");
    }
    return saturated(delay);
  }

  // 146 years or more are all the same
  private static long saturated(Duration delay) {
    return delay.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) > 0
        ? Long.MAX_VALUE / 2
        : delay.toNanos();
  }

  /// The same, with a delay that is multiplied by `by` each time.
  ///
  /// @param by at least 1
  /// @throws IllegalArgumentException when it is less than 1, or not a number
  public Backoff withFactor(double by) {
    if (!(by >= 1) || Double.isInfinite(by)) {
      throw new IllegalArgumentException("a factor of " + by + " is not a number from 1 on");
    }
    return new Backoff(firstNanos, by, maxNanos, jitter, share, random);
  }

  /// The same, with another maximum of the delay.
  ///
  /// @throws IllegalArgumentException when it is shorter than the first delay
  public Backoff withMaxDelay(Duration max) {
    long nanos = nanos(max);
    if (nanos < firstNanos) {
      throw new IllegalArgumentException(
          "the maximum of the delay, "
              + max
              + ", is shorter than the first delay, "
              + Duration.ofNanos(firstNanos));
    }
    return new Backoff(firstNanos, factor, nanos, jitter, share, random);
  }

  /// The same, with a wait of the delay less a random part of it.
  ///
  /// @param part the largest part of the delay that is taken away, from 0 to 1
  /// @throws IllegalArgumentException when it is not between 0 and 1
  public Backoff withJitter(double part) {
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("a part of " + part + " is not between 0 and 1");
    }
    return new Backoff(firstNanos, factor, maxNanos, Jitter.SHARE, part, random);
  }

  /// The same, with a wait of anything from 0 to the delay.
  public Backoff withFullJitter() {
    return withJitter(1);
  }

  /// The same, with a wait of anything from the first delay to 3 times the previous wait. The
  /// factor does not count.
  public Backoff withDecorrelatedJitter() {
    return new Backoff(firstNanos, factor, maxNanos, Jitter.DECORRELATED, 0, random);
  }

  /// The same, with another source of random numbers: for tests and simulations, one with a seed.
  /// It is asked on the thread of the caller of [#delay].
  public Backoff withRandom(RandomGenerator source) {
    Objects.requireNonNull(source, "source");
    return new Backoff(firstNanos, factor, maxNanos, jitter, share, source);
  }

  /// The wait before a retry. **Suspends** never.
  ///
  /// @param retry its number, from 1 on
  /// @param previous the wait before the previous retry; zero before the first one
  /// @throws IllegalArgumentException when the number is less than 1
  public Duration delay(int retry, Duration previous) {
    if (retry < 1) {
      throw new IllegalArgumentException("retries are counted from 1 on, not from " + retry);
    }
    return Duration.ofNanos(
        switch (jitter) {
          case NONE -> delayNanos(retry);
          case SHARE -> less(delayNanos(retry));
          case DECORRELATED -> decorrelated(nanos(previous));
        });
  }

  /// The longest wait: 30 seconds by default, or the first delay if that is longer.
  public Duration maxDelay() {
    return Duration.ofNanos(maxNanos);
  }

  private long less(long nanos) {
    return upTo(nanos - (long) (share * nanos), nanos);
  }

  private long delayNanos(int retry) {
    double grown = firstNanos * Math.pow(factor, retry - 1); // may be infinite, or 0 times infinity
    return grown >= maxNanos ? maxNanos : (long) grown; // which is no number, and 0 as a long
  }

  private long decorrelated(long previousNanos) {
    long last = Math.max(previousNanos, firstNanos);
    return upTo(firstNanos, last > maxNanos / 3 ? maxNanos : 3 * last);
  }

  private long upTo(long min, long max) {
    RandomGenerator source = random == null ? ThreadLocalRandom.current() : random;
    return min >= max ? max : source.nextLong(min, max + 1);
  }
}
