// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Says when code that computes, and asks often whether it is cancelled, is to have the clock read.
///
/// Reading the clock costs 20-30 ns, too much for each turn of a tight loop. So it is read every
/// `stride` calls. The stride doubles while that many calls take less than 100 us, and is 1 again
/// as soon as they take more than 250: code that asks every few milliseconds has the clock read
/// each time.
final class Glances {
  private static final int LONGEST_STRIDE = 32; // calls; the clock is then 1 ns of a call
  private static final long SHORT_NANOS = 100_000;
  private static final long LONG_NANOS = 250_000;

  private final Clock clock;

  // loop only
  private int stride = 1;
  private int left = 1; // calls until it is due
  private long readAt;

  Glances(Clock clock) {
    this.clock = clock;
    this.readAt = clock.nanoTime();
  }

  /// Counts a call.
  boolean isDue() {
    return --left <= 0;
  }

  long readClock() {
    long now = clock.nanoTime();
    long took = now - readAt;
    if (took > LONG_NANOS) {
      stride = 1;
    } else if (took < SHORT_NANOS && stride < LONGEST_STRIDE) {
      stride *= 2;
    }
    readAt = now;
    left = stride;
    return now;
  }
}
