// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/// Delays drawn before the meter starts, the same for every contender.
public final class Delays {
  private static final long SEED = 42;
  private static final int DRAWN = 1 << 16; // power of two, walked over with a mask

  private final long[] nanos = new long[DRAWN];

  private Delays(long fromMillis, long toMillis) {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < DRAWN; i++) {
      nanos[i] =
          random.nextLong(
              TimeUnit.MILLISECONDS.toNanos(fromMillis), TimeUnit.MILLISECONDS.toNanos(toMillis));
    }
  }

  /// Of timers that never fire while a bench runs: 10 to 70 minutes.
  public static Delays outstanding() {
    return new Delays(600_000, 4_200_000);
  }

  /// Of timers that fire after a while: 500 to 1,000 ms, so that arming ends before firing begins.
  public static Delays soon() {
    return new Delays(500, 1_000);
  }

  /// The delay of timer `index`, in nanoseconds.
  public long nanos(long index) {
    return nanos[(int) index & (DRAWN - 1)];
  }
}
