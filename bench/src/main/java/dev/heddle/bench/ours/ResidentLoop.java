// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Loop;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/// A loop on a thread of its own that lives between rounds and runs what it is told, for shapes
/// whose actors outlive a round. Its main coroutine takes orders from a JDK queue.
final class ResidentLoop implements AutoCloseable {
  private boolean ended; // main coroutine only

  private final BlockingQueue<FutureTask<?>> orders = new LinkedBlockingQueue<>();
  private final Loop<Boolean> loop = Loop.start(this::serve);

  /// Runs `order` in the main coroutine and waits for its result.
  <T> T call(Callable<T> order) throws Exception {
    var task = new FutureTask<>(order);
    orders.put(task);
    return task.get();
  }

  @Override
  public void close() {
    orders.add(new FutureTask<>(() -> ended = true));
    loop.join();
  }

  private boolean serve() throws InterruptedException {
    while (!ended) {
      orders.take().run();
    }
    return true;
  }
}
