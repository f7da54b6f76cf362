// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.ThreadTransfer.Way;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntFunction;

/// A blocking queue of the JDK between platform threads or virtual ones.
public final class StockThreadQueue implements Program {
  private final Way way;
  private final IntFunction<BlockingQueue<Object>> queues;

  private StockThreadQueue(Way way, IntFunction<BlockingQueue<Object>> queues) {
    this.way = way;
    this.queues = queues;
  }

  /// With a lock for each end, and a node for each item.
  public static StockThreadQueue linked(Way way) {
    return new StockThreadQueue(way, LinkedBlockingQueue::new);
  }

  /// With one lock, and an array.
  public static StockThreadQueue array(Way way) {
    return new StockThreadQueue(way, ArrayBlockingQueue::new);
  }

  @Override
  public Sample round(long operations) throws Exception {
    BlockingQueue<Object> queue = queues.apply(ThreadTransfer.CAPACITY);
    var transfer = new ThreadTransfer(queue::put, queue::take, operations);
    var sending =
        new FutureTask<>(() -> {
          transfer.send();
          return true;
        });
    var receiving = new FutureTask<>(transfer::receive);
    start(sending, way == Way.BETWEEN);
    start(receiving, way != Way.THREADS);
    sending.get();
    return receiving.get();
  }

  private static void start(Runnable side, boolean virtual) {
    if (virtual) {
      Thread.startVirtualThread(side);
    } else {
      Thread.ofPlatform().start(side);
    }
  }
}
