// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.time.Duration;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/// How long the users of a pool have waited for a resource, and the ideal: more users than
/// resources, each of which holds one for some time, again and again. **Thread** any.
///
/// Where all are served in turn, a user waits until each of the others has had a resource once,
/// less those that hold one at the same time as it does.
public final class PoolWaits {
  /// How many want a resource.
  public static final int USERS = 16;

  /// How many resources there are.
  public static final int SLOTS = 5;

  /// How long a user holds one.
  public static final Duration HOLD = Duration.ofMillis(1);

  /// The count of a sample for the longest wait, as a multiple of the ideal.
  public static final String TIMES_IDEAL = "times-ideal";

  private static final double IDEAL = (USERS - SLOTS) * (double) HOLD.toNanos() / SLOTS;

  private final LongAccumulator worst = new LongAccumulator(Long::max, 0);
  private final LongAdder number = new LongAdder();

  /// A user that began to wait at that time has a resource.
  public void since(long nanoTime) {
    worst.accumulate(System.nanoTime() - nanoTime);
    number.increment();
  }

  /// The same sample with the longest of so many waits.
  ///
  /// @throws IllegalStateException when it was another number
  public Sample in(Sample sample) {
    if (number.sum() != sample.operations()) {
      throw new IllegalStateException(
          number.sum() + " of " + sample.operations() + " had a resource");
    }
    return sample.with(TIMES_IDEAL, worst.get() / IDEAL).with(WaitTimes.WORST, worst.get() / 1e6);
  }
}
