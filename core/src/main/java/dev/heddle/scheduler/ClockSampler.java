// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Decides when a computing coroutine that often checks for cancellation reads the clock.
///
/// Reading the clock costs 20-30 ns, too much for each iteration of a tight loop. So the clock is
/// read every `stride` calls. The stride doubles while that many calls take less than 100 us, and
/// returns to 1 as soon as they take more than 250 us: a coroutine that checks every few
/// milliseconds reads the clock each time.
final class ClockSampler {
  private static final int MAX_STRIDE = 32; // calls; the clock then costs 1 ns a call
  private static final long SHORT_NANOS = 100_000;
  private static final long LONG_NANOS = 250_000;

  private final Clock clock;

  // loop only
  private int stride = 1;
  private int left = 1; // calls until the next clock read
  private long readAt;

  ClockSampler(Clock clock) {
    this.clock = clock;
    this.readAt = clock.nanoTime();
  }

  /// Counts a call; true when the clock is to be read.
  boolean isDue() {
    return --left <= 0;
  }

  long readClock() {
    long now = clock.nanoTime();
    long took = now - readAt;
    if (took > LONG_NANOS) {
      stride = 1;
    } else if (took < SHORT_NANOS && stride < MAX_STRIDE) {
      stride *= 2;
    }
    readAt = now;
    left = stride;
    return now;
  }
}
