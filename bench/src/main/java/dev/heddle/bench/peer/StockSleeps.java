// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Stock virtual threads that each sleep once.
public final class StockSleeps implements Program {
  private final Delays delays = Delays.soon();
  private final boolean late;

  /// A program.
  ///
  /// @param late whether to measure how late each is, too
  public StockSleeps(boolean late) {
    this.late = late;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var left = new CountDownLatch(Math.toIntExact(operations));
    var lateness = Lateness.ofManyThreads();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      long delay = delays.nanos(i);
      Thread.startVirtualThread(() -> sleep(delay, lateness, left));
    }
    left.await();
    Sample sample = meter.stop(operations);
    return late ? lateness.in(sample) : sample;
  }

  private void sleep(long nanos, Lateness lateness, CountDownLatch left) {
    long due = late ? System.nanoTime() + nanos : 0;
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
    if (late) {
      lateness.ran(due);
    }
    left.countDown();
  }
}
