// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A producer that waits until nothing is held, and consumers that do not empty it. Every run of
/// either program ends in a deadlock.
final class OneSlot {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private final Condition full = lock.newCondition();
  private final int rounds;
  private int held;

  /// @param held the items at the start
  /// @param rounds how often the producer puts and the consumer takes
  OneSlot(int held, int rounds) {
    this.held = held;
    this.rounds = rounds;
  }

  /// The consumer signals that there is room, and takes nothing.
  void signal(Threads threads) {
    threads.start(() -> repeat(this::put));
    threads.start(() ->
        repeat(() -> {
          awaitItem();
          empty.signal();
        }));
  }

  /// The consumer takes what was there at the start, so that the second item put stays.
  void exchange(Threads threads) {
    threads.start(() -> repeat(this::put));
    threads.start(() ->
        repeat(() -> {
          awaitItem();
          held--;
          empty.signal();
        }));
  }

  private void put() throws InterruptedException {
    while (held > 0) {
      empty.await();
    }
    held++;
    full.signal();
  }

  private void awaitItem() throws InterruptedException {
    while (held == 0) {
      full.await();
    }
  }

  private void repeat(Threads.Task step) throws Exception {
    for (int i = 0; i < rounds; i++) {
      lock.lock();
      try {
        step.run();
      } finally {
        lock.unlock();
      }
    }
  }
}
