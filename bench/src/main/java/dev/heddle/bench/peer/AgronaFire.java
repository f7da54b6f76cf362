// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2LongHashMap;

/// Arms many timers on Agrona's deadline wheel and polls it, asleep for a while between polls,
/// until all have fired.
public final class AgronaFire implements Program {
  private static final long COARSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long FINE_NANOS = 1; // the system makes it some 50 us: its least

  // Fine ticks: the million spreads over 30,000 of them, and a tick is searched slot by slot.
  private static final long TICK_NANOS = 1 << 14;
  private static final int TICKS = 1 << 16; // 1.07 s
  private static final int SLOTS_PER_TICK = 64;

  private final Delays delays = Delays.soon();
  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(
          TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, TICKS, SLOTS_PER_TICK);
  private final long napNanos;
  private final boolean late;
  private final Long2LongHashMap deadlines = new Long2LongHashMap(Long.MIN_VALUE);
  private long left;

  /// A program that polls every millisecond, or as often as the system lets a thread sleep.
  ///
  /// @param late whether to measure how late each is, too
  public AgronaFire(boolean fine, boolean late) {
    napNanos = fine ? FINE_NANOS : COARSE_NANOS;
    this.late = late;
  }

  @Override
  public Sample round(long operations) {
    left = operations;
    var lateness = new Lateness();
    DeadlineTimerWheel.TimerHandler onFire =
        (_, _, id) -> {
          if (late) {
            lateness.ran(deadlines.remove(id));
          }
          left--;
          return true;
        };
    wheel.currentTickTime(System.nanoTime()); // it is empty: skip the time between rounds
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      long deadline = System.nanoTime() + delays.nanos(i);
      long id = wheel.scheduleTimer(deadline);
      if (late) {
        deadlines.put(id, deadline);
      }
    }
    while (left > 0) {
      long now = System.nanoTime();
      int expired = wheel.poll(now, onFire, Integer.MAX_VALUE);
      if (expired == 0 && wheel.currentTickTime() > now) {
        LockSupport.parkNanos(napNanos);
      }
    }
    Sample sample = meter.stop(operations);
    return late ? lateness.in(sample) : sample;
  }
}
