// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// Measures what code allocates, in bytes of a carrier.
public final class Allocations {
  /// How often the code runs in a round.
  public static final int TIMES = 100_000;

  private static final int ROUNDS = 5;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocations() {}

  /// Bytes for [#TIMES] calls of `once`, after a warm-up, less what measuring itself takes, in the
  /// best of some rounds: on a busy machine the compiler comes late, and in between.
  public static long bytesFor(long carrier, Runnable once) {
    round(carrier, once);
    round(carrier, () -> {});
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      least = Math.min(least, round(carrier, once) - round(carrier, () -> {}));
    }
    return least;
  }

  private static long round(long carrier, Runnable once) {
    long before = THREADS.getThreadAllocatedBytes(carrier);
    for (int i = 0; i < TIMES; i++) {
      once.run();
    }
    return THREADS.getThreadAllocatedBytes(carrier) - before;
  }
}
