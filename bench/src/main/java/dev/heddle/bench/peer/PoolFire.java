// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

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

  @Override
  public Sample round(long operations) throws InterruptedException {
    var countdown = new Countdown(operations);
    Runnable onFire = countdown::fired;
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      pool.schedule(onFire, delays.nanos(i), TimeUnit.NANOSECONDS);
    }
    countdown.await();
    return meter.stop(operations);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
