// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.Delays;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.reactor.TimerEvent;
import java.time.Duration;

/// Arms many timers of a loop and waits until all have fired.
public final class HeddleFire implements Program {
  private static final Duration NAP = Duration.ofMillis(1);

  private final Delays delays = Delays.soon();
  private final boolean late;
  private long left; // loop only

  /// A program.
  ///
  /// @param late whether to measure how late each is, too
  public HeddleFire(boolean late) {
    this.late = late;
  }

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      left = operations;
      var lateness = new Lateness();
      InlineCallback onFire = (_, _, _) -> left--;
      if (late) {
        onFire =
            (timer, _, _) -> {
              lateness.ran(((TimerEvent) timer).deadline());
              left--;
            };
      }
      var meter = new Meter();
      meter.start();
      for (long i = 0; i < operations; i++) {
        EventSource timer = EventSource.of(Heddle.daemonTimer(Duration.ofNanos(delays.nanos(i))));
        timer.subscribe(onFire);
        timer.start();
      }
      while (left > 0) {
        Heddle.delay(NAP);
      }
      Sample sample = meter.stop(operations);
      return late ? lateness.in(sample) : sample;
    });
  }
}
