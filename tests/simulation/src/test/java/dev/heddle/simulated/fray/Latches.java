// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Programs with a `CountDownLatch`.
final class Latches {
  private Latches() {}

  static void awaitByOne(Threads threads) throws InterruptedException {
    new CountDownLatch(1).await();
  }

  static void awaitByTwo(Threads threads) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    threads.start(latch::await);
    latch.await();
  }

  static void awaitThreeTimesASecond(Threads threads) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    threads.start(() -> threeTimes(latch));
    threeTimes(latch);
  }

  private static void threeTimes(CountDownLatch latch) throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      latch.await(1, TimeUnit.SECONDS);
    }
  }

  static void awaitAfterCount() throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    latch.countDown();
    latch.await(1, TimeUnit.MILLISECONDS);
  }

  static void interruptedAwait(Threads threads) {
    CountDownLatch latch = new CountDownLatch(1);
    Thread waiting =
        threads.start(() -> {
          try {
            latch.await();
          } catch (InterruptedException e) {
            // what the program wants
          }
        });
    Thread.yield();
    waiting.interrupt();
  }

  static void countAfterASecond(Threads threads) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    threads.start(() -> latch.await(1, TimeUnit.SECONDS));
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait(1_000);
    }
    latch.countDown();
  }
}
