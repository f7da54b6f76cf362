// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Stock virtual threads that wait for one latch, until it has let all of them go.
public final class StockCrowd implements Program {
  @Override
  public Sample round(long operations) throws InterruptedException {
    var shared = new CountDownLatch(1);
    var begun = new CountDownLatch(Math.toIntExact(operations));
    List<Thread> waiting = new ArrayList<>();
    for (long i = 0; i < operations; i++) {
      waiting.add(Thread.startVirtualThread(() -> await(begun, shared)));
    }
    begun.await();
    var meter = new Meter();
    meter.start();
    shared.countDown();
    for (Thread thread : waiting) {
      thread.join();
    }
    return meter.stop(operations);
  }

  private static void await(CountDownLatch begun, CountDownLatch shared) {
    try {
      begun.countDown();
      shared.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
  }
}
