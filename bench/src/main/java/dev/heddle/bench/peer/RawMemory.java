// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import jdk.internal.vm.Continuation;

/// Raw continuations suspended below so many frames.
public final class RawMemory implements Program {
  private final int depth;

  /// A program that parks below so many frames.
  public RawMemory(int depth) {
    this.depth = depth;
  }

  @Override
  public Sample round(long operations) {
    int count = Math.toIntExact(operations);
    var parked = new Continuation[count];
    Runnable body = () -> descend(depth);
    var meter = new Meter();
    long before = LiveHeap.bytes();
    meter.start();
    for (int i = 0; i < count; i++) {
      parked[i] = new Continuation(RawSwitch.SCOPE, body);
      parked[i].run();
    }
    Sample sample = meter.stop(count);
    double bytes = LiveHeap.bytes() - before;
    for (Continuation continuation : parked) {
      continuation.run();
    }
    return sample.with("live-bytes", bytes / count);
  }

  private static void descend(int frames) {
    if (frames > 1) {
      descend(frames - 1);
    } else {
      Continuation.yield(RawSwitch.SCOPE);
    }
  }
}
