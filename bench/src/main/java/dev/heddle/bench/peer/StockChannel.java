// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;

/// A stock virtual thread puts, another takes: a queue of the JDK.
public final class StockChannel implements Program {
  /// Items before the measured ones.
  public static final int WARM = 1_000;

  /// What is sent.
  public static final Object ITEM = new Object();

  private final int capacity;

  /// A program with a queue of that capacity.
  public StockChannel(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    BlockingQueue<Object> queue =
        capacity == 0 ? new SynchronousQueue<>(true) : new ArrayBlockingQueue<>(capacity);
    var consumer = new Consumer(queue, operations);
    Thread taking = Thread.ofVirtual().start(consumer);
    Thread.startVirtualThread(() -> putAll(queue, WARM + operations));
    taking.join();
    return consumer.sample;
  }

  private static void putAll(BlockingQueue<Object> queue, long items) {
    try {
      for (long i = 0; i < items; i++) {
        queue.put(ITEM);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Consumer implements Runnable {
    private final BlockingQueue<Object> queue;
    private final long operations;
    private Sample sample = new Sample(1, 0, 0, Map.of());

    Consumer(BlockingQueue<Object> queue, long operations) {
      this.queue = queue;
      this.operations = operations;
    }

    @Override
    public void run() {
      try {
        for (int i = 0; i < WARM; i++) {
          queue.take();
        }
        Meter meter = new Meter();
        meter.start();
        for (long i = 0; i < operations; i++) {
          queue.take();
        }
        sample = meter.stop(operations);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
