// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.FutureTask;

/// Stock virtual threads started and joined one after the other, from a virtual thread.
public final class StockSpawnOne implements Program {
  private long finished; // one thread at a time, ordered by start and join

  @Override
  public Sample round(long operations) throws Exception {
    var round = new FutureTask<>(() -> run(operations));
    Thread.startVirtualThread(round);
    return round.get();
  }

  private Sample run(long operations) throws InterruptedException {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      Thread.startVirtualThread(() -> finished++).join();
    }
    return meter.stop(operations);
  }
}
