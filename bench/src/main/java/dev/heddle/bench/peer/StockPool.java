// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.PoolWaits;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// Stock virtual threads that share the resources in a fair blocking queue.
public final class StockPool implements Program {
  @Override
  public Sample round(long operations) throws InterruptedException {
    long each = operations / PoolWaits.USERS;
    var pool = new ArrayBlockingQueue<Object>(PoolWaits.SLOTS, true);
    for (int slot = 0; slot < PoolWaits.SLOTS; slot++) {
      pool.add(new Object());
    }
    var waits = new PoolWaits();
    var meter = new Meter();
    meter.start();
    List<Thread> threads = new ArrayList<>();
    for (int user = 0; user < PoolWaits.USERS; user++) {
      threads.add(Thread.startVirtualThread(() -> use(pool, each, waits)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return waits.in(meter.stop(each * PoolWaits.USERS));
  }

  private static void use(BlockingQueue<Object> pool, long times, PoolWaits waits) {
    try {
      for (long i = 0; i < times; i++) {
        long begun = System.nanoTime();
        Object resource = pool.take();
        waits.since(begun);
        Thread.sleep(PoolWaits.HOLD);
        pool.put(resource);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the number of waits will tell
    }
  }
}
