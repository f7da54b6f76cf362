// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Lateness;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.Delays;
import java.time.Duration;

/// Coroutines that each wait for a delay, as a program would write a timer.
public final class HeddleDelays implements Program {
  private final Delays delays = Delays.soon();
  private final boolean late;
  private long left; // loop only

  /// A program.
  ///
  /// @param late whether to measure how late each is, too
  public HeddleDelays(boolean late) {
    this.late = late;
  }

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      left = operations;
      var lateness = new Lateness();
      var meter = new Meter();
      meter.start();
      Heddle.scope(scope -> {
        for (long i = 0; i < operations; i++) {
          long delay = delays.nanos(i);
          scope.launch("timer", () -> delay(delay, lateness));
        }
        return true;
      });
      Sample sample = meter.stop(operations);
      if (left != 0) {
        throw new IllegalStateException(left + " timers did not fire");
      }
      return late ? lateness.in(sample) : sample;
    });
  }

  private void delay(long nanos, Lateness lateness) {
    long due = late ? System.nanoTime() + nanos : 0;
    Heddle.delay(Duration.ofNanos(nanos));
    if (late) {
      lateness.ran(due);
    }
    left--;
  }
}
