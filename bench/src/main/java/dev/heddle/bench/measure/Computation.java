// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

/// Work that needs a processor and nothing else.
public final class Computation {
  private Computation() {}

  /// So many rounds of xorshift, about a nanosecond or two each.
  ///
  /// @return what comes out, so that nobody leaves it out
  public static long run(long seed, int rounds) {
    long x = seed | 1;
    for (int i = 0; i < rounds; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    return x;
  }

  /// Keeps the processor for so long.
  public static void hold(long nanos) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < nanos) {
      Thread.onSpinWait();
    }
  }
}
