// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Stock virtual threads parked below so many frames.
public final class StockMemory implements Program {
  private final int depth;

  /// A program that parks below so many frames.
  public StockMemory(int depth) {
    this.depth = depth;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    int count = Math.toIntExact(operations);
    var meter = new Meter();
    long before = LiveHeap.bytes();
    meter.start();
    var parked = new ParkedThreads(count, depth);
    Sample sample = meter.stop(count);
    double bytes = LiveHeap.bytes() - before;
    parked.release();
    return sample.with("live-bytes", bytes / count);
  }
}
