// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// `CompletableFuture.join` on futures that are complete.
public final class FutureJoin implements Program {
  /// How many complete things a round walks over: enough that no compiler keeps the answer.
  public static final int COMPLETE = 1_024;

  @SuppressWarnings("unused") // written only: it keeps the results alive
  private long sum;

  @Override
  public Sample round(long operations) {
    List<CompletableFuture<Integer>> futures = new ArrayList<>();
    for (int i = 0; i < COMPLETE; i++) {
      futures.add(CompletableFuture.completedFuture(i));
    }
    long laps = Math.max(1, operations / COMPLETE);
    var meter = new Meter();
    meter.start();
    for (long lap = 0; lap < laps; lap++) {
      sum += lap(futures);
    }
    return meter.stop(laps * COMPLETE);
  }

  private static long lap(List<CompletableFuture<Integer>> futures) {
    long sum = 0;
    for (int i = 0; i < COMPLETE; i++) {
      sum += futures.get(i).join();
    }
    return sum;
  }
}
