// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/// Arming and cancelling on Agrona's deadline wheel: one thread, numbers only.
///
/// It takes deadlines, so the caller reads the clock for each, as Heddle and the others do inside.
public final class AgronaTimers implements Program {
  private static final long TICK_NANOS = 1 << 20; // 1.05 ms; a power of two is asked for
  private static final int TICKS =
      1 << 20; // as many as timers, so that a tick holds one on average
  private static final int SLOTS_PER_TICK = 8;

  private final Delays delays = Delays.outstanding();
  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(
          TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, TICKS, SLOTS_PER_TICK);
  private final long[] outstanding;
  private final boolean replacing;
  private long next;

  /// A program with so many timers outstanding.
  public AgronaTimers(int outstanding, boolean replacing) {
    this.outstanding = new long[outstanding];
    this.replacing = replacing;
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
        wheel.cancelTimer(outstanding[slot]);
        outstanding[slot] = arm(next++);
      } else {
        wheel.cancelTimer(arm(next++));
      }
    }
    return meter.stop(operations);
  }

  private long arm(long index) {
    return wheel.scheduleTimer(System.nanoTime() + delays.nanos(index));
  }
}
