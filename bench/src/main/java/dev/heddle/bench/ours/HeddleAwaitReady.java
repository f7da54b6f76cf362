// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.coroutine.Coroutine;
import java.util.ArrayList;
import java.util.List;

/// Awaiting coroutines that have ended.
public final class HeddleAwaitReady implements Program {
  private final int complete;

  @SuppressWarnings("unused") // written only: it keeps the results alive
  private long sum;

  /// A program with so many ended coroutines.
  public HeddleAwaitReady(int complete) {
    this.complete = complete;
  }

  @Override
  public Sample round(long operations) {
    long laps = Math.max(1, operations / complete);
    return Heddle.run(() -> {
      List<Coroutine<Integer>> coroutines = new ArrayList<>();
      for (int i = 0; i < complete; i++) {
        int value = i;
        coroutines.add(Heddle.spawn(() -> value));
      }
      coroutines.getLast().await();
      var meter = new Meter();
      long switches = Heddle.counters().switches();
      meter.start();
      for (long lap = 0; lap < laps; lap++) {
        sum += lap(coroutines);
      }
      Sample sample = meter.stop(laps * complete);
      switches = Heddle.counters().switches() - switches;
      return sample.with("switches", (double) switches / sample.operations());
    });
  }

  private static long lap(List<Coroutine<Integer>> coroutines) {
    long sum = 0;
    for (int i = 0; i < coroutines.size(); i++) {
      sum += coroutines.get(i).await();
    }
    return sum;
  }
}
