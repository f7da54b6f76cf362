// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

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

  /// A program on the given wheel.
  public NettyFire(HashedWheelTimer wheel) {
    this.wheel = wheel;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var countdown = new Countdown(operations);
    TimerTask onFire = _ -> countdown.fired();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      wheel.newTimeout(onFire, delays.nanos(i), TimeUnit.NANOSECONDS);
    }
    countdown.await();
    return meter.stop(operations);
  }

  @Override
  public void close() {
    wheel.stop();
  }
}
