// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.QueueDelay;
import java.util.concurrent.ThreadLocalRandom;

/// How long tasks have waited in run queues. One worker writes; other threads read values of a
/// moment ago.
final class DelayHistogram {
  static final int SAMPLE_INTERVAL = 64; // one task in so many is timed; power of two
  static final int PLACES = QueueDelay.NONE.counts().size();

  private final long[] counts = new long[PLACES];

  /// The time stamp for a task that enters a queue; 0 when it is not sampled.
  static long stamp() {
    // at random: every 64th task would beat with programs that wake tasks in turns
    return (ThreadLocalRandom.current().nextInt() & (SAMPLE_INTERVAL - 1)) == 0 ? now() : 0;
  }

  /// Records the delay of a task that has left its queue.
  void record(long stamp) {
    if (stamp != 0) {
      counts[place(now() - stamp)]++;
    }
  }

  static int place(long nanos) {
    long micros = Math.max(0, nanos) / 1_000;
    return Math.min(Long.SIZE - Long.numberOfLeadingZeros(micros), PLACES - 1);
  }

  private static long now() {
    long now = System.nanoTime();
    return now == 0 ? 1 : now; // 0 means: not sampled
  }

  void addTo(long[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += counts[i];
    }
  }
}
