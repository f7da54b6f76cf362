// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// What one of many does that wait for a short time, again and again: by turns it sleeps, and polls
/// a queue in which nothing arrives. The same code runs on stock virtual threads and on coroutines.
public final class Naps {
  /// How many wait at the same time.
  public static final int CROWD = 1_000;

  /// How long each waits, in nanoseconds.
  public static final long NANOS = 1_000_000;

  private Naps() {}

  /// The number of waits of each, for a round of so many waits.
  public static long each(long operations) {
    return Math.max(1, operations / CROWD);
  }

  /// Waits so many times, by the means of the JDK.
  public static void take(long times) throws InterruptedException {
    BlockingQueue<String> empty = new LinkedBlockingQueue<>();
    for (long i = 0; i < times; i++) {
      if ((i & 1) == 0) {
        TimeUnit.NANOSECONDS.sleep(NANOS);
      } else {
        empty.poll(NANOS, TimeUnit.NANOSECONDS);
      }
    }
  }
}
