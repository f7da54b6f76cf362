// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.ExecutorTasks;
import java.util.concurrent.CompletableFuture;

/// Tasks that a thread hands to the executor of a loop on another thread.
public final class HeddleExecutor implements Program {
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private final Loop<Boolean> loop = Loop.start(() -> Heddle.await(over));
  private final ExecutorTasks tasks;

  /// A program with batches of that size.
  public HeddleExecutor(int batch) {
    tasks = new ExecutorTasks(loop.executor(), batch);
  }

  @Override
  public Sample round(long operations) throws Exception {
    return tasks.round(operations);
  }

  @Override
  public void close() {
    tasks.close();
    over.complete(true);
    loop.join();
  }
}
