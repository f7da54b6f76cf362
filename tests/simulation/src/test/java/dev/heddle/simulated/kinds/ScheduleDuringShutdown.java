// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import dev.heddle.simulated.program.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Schedules a task while another thread shuts the pool down. The task must run, be cancelled or be
/// rejected.
final class ScheduleDuringShutdown {
  private ScheduleDuringShutdown() {}

  static void run(Threads threads) throws Exception {
    List<Thread> workers = new ArrayList<>();
    ScheduledThreadPoolExecutor pool =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              workers.add(threads.make(task::run));
              return workers.getLast();
            });
    threads.start(pool::shutdown);
    try {
      pool.schedule(() -> 42, 10, TimeUnit.MILLISECONDS).get();
    } catch (RejectedExecutionException | CancellationException e) {
      // an answer, too
    }
    pool.awaitTermination(1, TimeUnit.MINUTES);
    for (Thread worker : workers) {
      worker.join();
    }
  }
}
