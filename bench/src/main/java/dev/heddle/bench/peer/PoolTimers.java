// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Arming and cancelling on a `ScheduledThreadPoolExecutor` that removes what is cancelled.
public final class PoolTimers implements Program {
  private final Delays delays = Delays.outstanding();
  private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
  private final Future<?>[] outstanding;
  private final boolean replacing;
  private long next;

  /// A program with so many timers outstanding; replacing cancels the oldest of them for each new
  /// one, otherwise each new one is cancelled at once.
  public PoolTimers(int outstanding, boolean replacing) {
    this.outstanding = new Future<?>[outstanding];
    this.replacing = replacing;
    pool.setRemoveOnCancelPolicy(true);
    for (int i = 0; i < outstanding; i++) {
      this.outstanding[i] = arm(next++);
    }
  }

  @Override
  public Sample round(long operations) {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      if (replacing) {
        int slot = (int) (next % outstanding.length);
        outstanding[slot].cancel(false);
        outstanding[slot] = arm(next++);
      } else {
        arm(next++).cancel(false);
      }
    }
    return meter.stop(operations);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }

  private Future<?> arm(long index) {
    return pool.schedule(() -> {}, delays.nanos(index), TimeUnit.NANOSECONDS);
  }
}
