// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Arms many timers on a `ScheduledThreadPoolExecutor` of one thread and waits until all have
/// fired.
public final class PoolFire implements Program {
  private final Delays delays = Delays.soon();
  private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
  private final boolean late;

  /// A program.
  ///
  /// @param late whether to measure how late each is, too
  public PoolFire(boolean late) {
    this.late = late;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var countdown = new Countdown(operations);
    Runnable onFire = countdown::fired;
    var lateness = new Lateness();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      long delay = delays.nanos(i);
      pool.schedule(
          late ? recording(System.nanoTime() + delay, lateness, countdown) : onFire,
          delay,
          TimeUnit.NANOSECONDS);
    }
    countdown.await();
    Sample sample = meter.stop(operations);
    return late ? lateness.in(sample) : sample;
  }

  private static Runnable recording(long due, Lateness lateness, Countdown countdown) {
    return () -> {
      lateness.ran(due);
      countdown.fired();
    };
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
