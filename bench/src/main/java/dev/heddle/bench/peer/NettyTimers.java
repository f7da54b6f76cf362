// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/// Arming and cancelling on Netty's hashed wheel.
///
/// Its caller only appends to a queue; a thread of its own does the rest at the next tick, so its
/// CPU time says more than its wall time.
public final class NettyTimers implements Program {
  private static final TimerTask NOTHING = _ -> {};

  private final Delays delays = Delays.outstanding();
  private final HashedWheelTimer wheel;
  private final Timeout[] outstanding;
  private final boolean replacing;
  private long next;

  /// A program with so many timers outstanding on the given wheel.
  public NettyTimers(HashedWheelTimer wheel, int outstanding, boolean replacing) {
    this.wheel = wheel;
    this.outstanding = new Timeout[outstanding];
    this.replacing = replacing;
    for (int i = 0; i < outstanding; i++) {
      this.outstanding[i] = arm(next++);
    }
  }

  /// A wheel as precise as Heddle's timers: 1 ms, with slots for a minute.
  public static HashedWheelTimer fine() {
    return new HashedWheelTimer(1, TimeUnit.MILLISECONDS, 65_536);
  }

  /// A wheel as Netty makes it when nothing is said: 100 ms, 512 slots.
  public static HashedWheelTimer coarse() {
    return new HashedWheelTimer();
  }

  @Override
  public Sample round(long operations) {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      if (replacing) {
        int slot = (int) (next % outstanding.length);
        outstanding[slot].cancel();
        outstanding[slot] = arm(next++);
      } else {
        arm(next++).cancel();
      }
    }
    return meter.stop(operations);
  }

  @Override
  public void close() {
    wheel.stop();
  }

  private Timeout arm(long index) {
    return wheel.newTimeout(NOTHING, delays.nanos(index), TimeUnit.NANOSECONDS);
  }
}
