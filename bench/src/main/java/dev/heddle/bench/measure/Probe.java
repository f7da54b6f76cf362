// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/// Messages from outside, each sent a moment after the last one was answered.
public final class Probe {
  /// How long a hog computes before it says that it wants to go on.
  public static final long HOG_NANOS = 50_000;

  /// How long a busy step lasts.
  public static final long BUSY_NANOS = 20_000_000;

  private static final long PAUSE_NANOS = 100_000;

  private final Semaphore answers = new Semaphore(0);
  private final int each;

  /// Messages that are answered once.
  public Probe() {
    this(1);
  }

  /// Messages of which each is answered so often.
  public Probe(int each) {
    this.each = each;
  }

  /// Sends so many.
  ///
  /// @param message sends one that carries the time
  public void repeat(long times, LongConsumer message) throws InterruptedException {
    for (long i = 0; i < times; i++) {
      LockSupport.parkNanos(PAUSE_NANOS);
      message.accept(System.nanoTime());
      answers.acquire(each);
    }
  }

  /// Waits for so many answers.
  public void await(int count) throws InterruptedException {
    answers.acquire(count);
  }

  /// One more is answered.
  public void answered() {
    answers.release();
  }
}
