// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.concurrent.FutureTask;

/// Stock virtual threads that return a value, started and joined, from a virtual thread: one, or
/// two together.
public final class StockAwait implements Program {
  private final int together;

  /// A program that starts so many, and then joins them.
  public StockAwait(int together) {
    this.together = together;
  }

  /// Fails when the values do not add up.
  public static void check(long sum, long wanted) {
    if (sum != wanted) {
      throw new IllegalStateException("the values add up to " + sum + ", not to " + wanted);
    }
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new FutureTask<>(() -> run(operations));
    Thread.startVirtualThread(round);
    return round.get();
  }

  private Sample run(long operations) throws InterruptedException {
    var meter = new Meter();
    meter.start();
    long sum = together == 1 ? one(operations) : two(operations);
    Sample sample = meter.stop(operations);
    check(sum, operations * together);
    return sample;
  }

  private static long one(long operations) throws InterruptedException {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      sum += new Child().join();
    }
    return sum;
  }

  private static long two(long operations) throws InterruptedException {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      var first = new Child();
      var second = new Child();
      sum += first.join() + second.join();
    }
    return sum;
  }

  /// A thread and its value, which `join` publishes: less than a FutureTask.
  private static final class Child implements Runnable {
    private int value;
    private final Thread thread = Thread.startVirtualThread(this);

    @Override
    public void run() {
      value = 1;
    }

    int join() throws InterruptedException {
      thread.join();
      return value;
    }
  }
}
