// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/// Stock virtual threads started in batches and awaited through a latch, from a virtual thread.
///
/// A latch is cheaper than an executor's `close` and than joining each thread.
public final class StockSpawnBatch implements Program {
  private final int batch;

  /// A program that starts so many threads at once.
  public StockSpawnBatch(int batch) {
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new FutureTask<>(() -> run(Math.max(1, operations / batch)));
    Thread.startVirtualThread(round);
    return round.get();
  }

  private Sample run(long batches) throws InterruptedException {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < batches; i++) {
      var latch = new CountDownLatch(batch);
      Runnable body = latch::countDown;
      for (int j = 0; j < batch; j++) {
        Thread.startVirtualThread(body);
      }
      latch.await();
    }
    return meter.stop(batches * batch);
  }
}
