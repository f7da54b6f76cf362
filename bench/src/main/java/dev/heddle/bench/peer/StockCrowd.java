// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.ours.HeddleCrowd;
import dev.heddle.bench.ours.HeddleCrowd.Way;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Stock virtual threads that wait for one latch, until it has let all of them go, each has been
/// interrupted, or their waits have timed out. As they have no thread of their own, the CPU time of
/// all stands for that of the loop.
public final class StockCrowd implements Program {
  private final Way way;
  private final CountDownLatch never = new CountDownLatch(1);

  /// A program that ends waits that way.
  ///
  /// @param way not [Way#SCOPE] or [Way#WITHIN], which the JDK does not have
  public StockCrowd(Way way) {
    if (way == Way.SCOPE || way == Way.WITHIN) {
      throw new IllegalArgumentException("stock threads have no " + way);
    }
    this.way = way;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var shared = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    var begun = new CountDownLatch(Math.toIntExact(operations));
    List<Thread> waiting = new ArrayList<>();
    for (long i = 0; i < operations; i++) {
      waiting.add(Thread.startVirtualThread(() -> await(begun, gate, shared)));
    }
    if (way == Way.CANCELLED) {
      Collections.shuffle(waiting, new Random(operations));
    }
    begun.await();
    for (Thread thread : waiting) {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait(); // it has said that it begins, and is about to wait
      }
    }
    var meter = new Meter();
    meter.start();
    if (way == Way.CANCELLED) {
      waiting.forEach(Thread::interrupt);
    }
    gate.countDown();
    shared.countDown();
    for (Thread thread : waiting) {
      thread.join();
    }
    Sample sample = meter.stop(operations);
    return sample.with(HeddleCrowd.CARRIER, sample.cpuPerOperation());
  }

  private void await(CountDownLatch begun, CountDownLatch gate, CountDownLatch shared) {
    try {
      begun.countDown();
      if (way == Way.TIMED_OUT) {
        gate.await();
        never.await(1, TimeUnit.MILLISECONDS);
      } else {
        shared.await();
      }
    } catch (InterruptedException e) {
      if (way != Way.CANCELLED) {
        throw new IllegalStateException("nobody interrupts it", e);
      }
    }
  }
}
