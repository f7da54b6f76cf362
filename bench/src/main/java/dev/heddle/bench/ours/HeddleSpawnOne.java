// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Coroutines spawned and awaited one after the other.
public final class HeddleSpawnOne implements Program {
  private long finished; // loop only

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      var meter = new Meter();
      long switches = Heddle.counters().switches();
      meter.start();
      for (long i = 0; i < operations; i++) {
        Heddle.spawn(() -> finished++).await();
      }
      Sample sample = meter.stop(operations);
      switches = Heddle.counters().switches() - switches;
      return sample.with("switches", (double) switches / operations);
    });
  }
}
