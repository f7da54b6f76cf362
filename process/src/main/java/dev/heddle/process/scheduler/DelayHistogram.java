// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.process.QueueDelay;
import java.util.concurrent.ThreadLocalRandom;

/// How long tasks have waited in queues: one worker writes, others read values of some moment ago.
final class DelayHistogram {
  static final int SAMPLE_INTERVAL = 64; // tasks for each that is timed, on average; power of two
  static final int PLACES = QueueDelay.NONE.counts().size();

  private final long[] counts = new long[PLACES];

  /// The time to be noted in a task that is put into a queue; 0 when it is not to be timed.
  static long stamp() {
    // chance, not a count: a count beats with programs that wake in turns
    return (ThreadLocalRandom.current().nextInt() & (SAMPLE_INTERVAL - 1)) == 0 ? now() : 0;
  }

  /// A task with this stamp is taken from its queue.
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
    return now == 0 ? 1 : now; // 0 says: not timed
  }

  void addTo(long[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += counts[i];
    }
  }
}
