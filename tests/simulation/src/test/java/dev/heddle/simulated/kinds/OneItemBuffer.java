// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import dev.heddle.simulated.program.Threads;
import java.util.ArrayDeque;
import java.util.Deque;

/// A buffer of one item with `notify`. Producers and consumers wait on the same monitor, so that a
/// producer's notify may wake a producer.
final class OneItemBuffer {
  private final Deque<Integer> items = new ArrayDeque<>();

  private synchronized void put(int item) throws InterruptedException {
    while (!items.isEmpty()) {
      wait();
    }
    items.add(item);
    notify();
  }

  private synchronized int take() throws InterruptedException {
    while (items.isEmpty()) {
      wait();
    }
    int item = items.remove();
    notify();
    return item;
  }

  void run(Threads threads) {
    threads.start(
        3,
        () -> {
          for (int i = 0; i < 4; i++) {
            put(i);
          }
        });
    threads.start(
        3,
        () -> {
          for (int i = 0; i < 4; i++) {
            take();
          }
        });
  }
}
