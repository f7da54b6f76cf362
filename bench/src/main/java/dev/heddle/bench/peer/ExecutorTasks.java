// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;

/// Tasks that a thread hands to an executor. The same code for all executors.
public final class ExecutorTasks implements Program {
  private static final int WARM = 100;

  private final ExecutorService executor;
  private final int batch;

  /// Tasks in batches of that size. With 1, the thread waits for the result of each.
  public ExecutorTasks(ExecutorService executor, int batch) {
    this.executor = executor;
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws Exception {
    return batch == 1 ? oneByOne(operations) : batches(Math.max(1, operations / batch));
  }

  private Sample oneByOne(long operations) throws Exception {
    long sum = 0;
    for (int i = 0; i < WARM; i++) {
      sum += executor.submit(() -> 1).get();
    }
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      sum += executor.submit(() -> 1).get();
    }
    Sample sample = meter.stop(operations);
    StockAwait.check(sum, WARM + operations);
    return sample;
  }

  private Sample batches(long number) throws InterruptedException {
    batch();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < number; i++) {
      batch();
    }
    return meter.stop(number * batch);
  }

  private void batch() throws InterruptedException {
    var left = new CountDownLatch(batch);
    for (int i = 0; i < batch; i++) {
      executor.execute(left::countDown);
    }
    left.await();
  }

  @Override
  public void close() {
    executor.close();
  }
}
