// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockAwait;
import dev.heddle.coroutine.Coroutine;

/// Coroutines that return a value, spawned and awaited: one, or two together.
public final class HeddleAwait implements Program {
  private final int together;

  /// A program that spawns so many, and then awaits them.
  public HeddleAwait(int together) {
    this.together = together;
  }

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      var meter = new Meter();
      long switches = Heddle.counters().switches();
      meter.start();
      long sum = together == 1 ? one(operations) : two(operations);
      Sample sample = meter.stop(operations);
      StockAwait.check(sum, operations * together);
      switches = Heddle.counters().switches() - switches;
      return sample.with("switches", (double) switches / operations);
    });
  }

  private static long one(long operations) {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      sum += Heddle.spawn(() -> 1).await();
    }
    return sum;
  }

  private static long two(long operations) {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      Coroutine<Integer> first = Heddle.spawn(() -> 1);
      Coroutine<Integer> second = Heddle.spawn(() -> 1);
      sum += first.await() + second.await();
    }
    return sum;
  }
}
