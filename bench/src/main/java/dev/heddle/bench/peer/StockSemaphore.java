// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;

/// Stock virtual threads with the JDK's semaphore, which lets others overtake its waiters: that is
/// its cheaper kind.
public final class StockSemaphore implements Program {
  /// How many permits there are.
  public static final int PERMITS = 4;

  private final int users;

  /// A program with so many threads.
  public StockSemaphore(int users) {
    this.users = users;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new FutureTask<>(() -> run(new Semaphore(PERMITS), operations));
    Thread.startVirtualThread(round);
    return round.get();
  }

  private Sample run(Semaphore semaphore, long operations) throws InterruptedException {
    var meter = new Meter();
    if (users == 1) {
      meter.start();
      for (long i = 0; i < operations; i++) {
        semaphore.acquire();
        semaphore.release();
      }
      return meter.stop(operations);
    }
    long each = operations / users;
    meter.start();
    List<Thread> threads = new ArrayList<>();
    for (int user = 0; user < users; user++) {
      threads.add(Thread.startVirtualThread(() -> use(semaphore, each)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return meter.stop(each * users);
  }

  private static void use(Semaphore semaphore, long times) {
    for (long i = 0; i < times; i++) {
      semaphore.acquireUninterruptibly();
      Thread.yield();
      semaphore.release();
    }
  }
}
