// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Coroutines waiting below so many frames.
public final class HeddleMemory implements Program {
  private final int depth;

  /// A program that parks below so many frames.
  public HeddleMemory(int depth) {
    this.depth = depth;
  }

  @Override
  public Sample round(long operations) {
    int count = Math.toIntExact(operations);
    return Heddle.run(() -> {
      var meter = new Meter();
      long before = LiveHeap.bytes();
      meter.start();
      var parked = new ParkedCoroutines(count, depth);
      Sample sample = meter.stop(count);
      double bytes = LiveHeap.bytes() - before;
      parked.release();
      return sample.with("live-bytes", bytes / count);
    });
  }
}
