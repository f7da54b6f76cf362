// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;

/// Bare virtual threads on an own executor, suspended below so many frames.
public final class FloorMemory implements Program {
  private final int depth;

  /// A program that parks below so many frames.
  public FloorMemory(int depth) {
    this.depth = depth;
  }

  @Override
  public Sample round(long operations) {
    int count = Math.toIntExact(operations);
    var parked = new Floor[count];
    Runnable body = () -> descend(depth);
    var meter = new Meter();
    long before = LiveHeap.bytes();
    meter.start();
    for (int i = 0; i < count; i++) {
      parked[i] = new Floor(body).start();
      parked[i].resume();
    }
    Sample sample = meter.stop(count);
    double bytes = LiveHeap.bytes() - before;
    for (Floor thread : parked) {
      thread.resume();
    }
    return sample.with("live-bytes", bytes / count);
  }

  private static void descend(int frames) {
    if (frames > 1) {
      descend(frames - 1);
    } else {
      Thread.yield();
    }
  }
}
