// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import io.netty.util.HashedWheelTimer;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/// Arms many timers on Netty's hashed wheel and waits until all have fired.
public final class NettyFire implements Program {
  private final Delays delays = Delays.soon();
  private final HashedWheelTimer wheel;
  private final boolean late;

  /// A program on the given wheel.
  ///
  /// @param late whether to measure how late each is, too
  public NettyFire(HashedWheelTimer wheel, boolean late) {
    this.wheel = wheel;
    this.late = late;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var countdown = new Countdown(operations);
    TimerTask onFire = _ -> countdown.fired();
    var lateness = new Lateness();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      long delay = delays.nanos(i);
      wheel.newTimeout(
          late ? recording(System.nanoTime() + delay, lateness, countdown) : onFire,
          delay,
          TimeUnit.NANOSECONDS);
    }
    countdown.await();
    Sample sample = meter.stop(operations);
    return late ? lateness.in(sample) : sample;
  }

  private static TimerTask recording(long due, Lateness lateness, Countdown countdown) {
    return _ -> {
      lateness.ran(due);
      countdown.fired();
    };
  }

  @Override
  public void close() {
    wheel.stop();
  }
}
