// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.Naps;
import java.time.Duration;

/// Coroutines that wait for a short time, again and again: by the stock program's code, unchanged,
/// or by [Heddle#delay].
public final class HeddleNaps implements Program {
  private static final Duration NAP = Duration.ofNanos(Naps.NANOS);

  private final boolean byDelay;

  private HeddleNaps(boolean byDelay) {
    this.byDelay = byDelay;
  }

  /// With waits of the JDK.
  public static HeddleNaps foreign() {
    return new HeddleNaps(false);
  }

  /// With waits of the loop.
  public static HeddleNaps delays() {
    return new HeddleNaps(true);
  }

  @Override
  public Sample round(long operations) {
    long each = Naps.each(operations);
    Action nap = byDelay ? () -> delay(each) : () -> Naps.take(each);
    return Heddle.run(() -> {
      var meter = new Meter();
      meter.start();
      Heddle.scope(scope -> {
        for (int i = 0; i < Naps.CROWD; i++) {
          scope.launch("nap", nap);
        }
        return true;
      });
      return meter.stop(each * Naps.CROWD);
    });
  }

  private static void delay(long times) {
    for (long i = 0; i < times; i++) {
      Heddle.delay(NAP);
    }
  }
}
