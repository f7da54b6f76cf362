// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Arming and cancelling on Netty's hashed wheel.
///
/// Its caller only appends to a queue; a thread of its own does the rest at the next ticks. So the
/// wall time is the caller's, and the CPU time lasts until the thread has worked off the round: a
/// round that ends between two ticks would leave it to nobody.
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
  public Sample round(long operations) throws InterruptedException {
    var meter = new Meter();
    meter.start();
    long began = System.nanoTime();
    for (long i = 0; i < operations; i++) {
      if (replacing) {
        int slot = (int) (next % outstanding.length);
        outstanding[slot].cancel();
        outstanding[slot] = arm(next++);
      } else {
        arm(next++).cancel();
      }
    }
    long wallNanos = System.nanoTime() - began;
    awaitWorkedOff();
    Sample all = meter.stop(operations);
    return new Sample(operations, wallNanos, all.cpuNanos(), all.counts());
  }

  // what is queued last is seen last
  private void awaitWorkedOff() throws InterruptedException {
    var seen = new CountDownLatch(1);
    wheel.newTimeout(_ -> seen.countDown(), 0, TimeUnit.NANOSECONDS);
    seen.await();
  }

  @Override
  public void close() {
    wheel.stop();
  }

  private Timeout arm(long index) {
    return wheel.newTimeout(NOTHING, delays.nanos(index), TimeUnit.NANOSECONDS);
  }
}
