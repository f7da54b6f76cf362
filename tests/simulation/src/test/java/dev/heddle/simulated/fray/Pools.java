// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Programs with executors and their queues.
final class Pools {
  private Pools() {}

  static void offer() {
    new ArrayBlockingQueue<Integer>(10).offer(10);
  }

  static void scheduleDuringShutdown(Threads threads) throws Exception {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
    threads.start(pool::shutdown);
    try {
      pool.schedule(Thread::yield, 10, TimeUnit.MILLISECONDS).get();
      Thread.yield();
    } catch (RejectedExecutionException | CancellationException e) {
      // what a pool that is shut down may answer
    }
  }

  static void interruptedWorkers(Threads threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(0, 1_024, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>());
    for (int i = 0; i < 3; i++) {
      pool.execute(Pools::waitInterrupted);
    }
    threads.start(() -> {
      pool.shutdown();
      pool.awaitTermination(1, TimeUnit.MINUTES);
    });
  }

  private static void waitInterrupted() {
    Thread self = Thread.currentThread();
    self.interrupt();
    synchronized (self) {
      try {
        self.wait();
      } catch (InterruptedException e) {
        // at once
      }
    }
  }
}
