// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Coroutines spawned in batches, each batch awaited by its scope.
public final class HeddleSpawnBatch implements Program {
  private final int batch;
  private long finished; // loop only

  /// A program that spawns so many coroutines at once.
  public HeddleSpawnBatch(int batch) {
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) {
    long batches = Math.max(1, operations / batch);
    return Heddle.run(() -> {
      var meter = new Meter();
      long switches = Heddle.counters().switches();
      meter.start();
      for (long i = 0; i < batches; i++) {
        batch();
      }
      Sample sample = meter.stop(batches * batch);
      switches = Heddle.counters().switches() - switches;
      return sample.with("switches", (double) switches / sample.operations());
    });
  }

  private void batch() {
    Heddle.scope(scope -> {
      for (int i = 0; i < batch; i++) {
        scope.spawn(() -> finished++);
      }
      return finished;
    });
  }
}
