// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A producer and a consumer hand over three items through one slot. The consumer adds up their
/// numbers, and the program denies the sum. Every run fails.
final class ArithmeticProgression {
  private static final int ITEMS = 3;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();
  private final Condition full = lock.newCondition();
  private int held;
  private int sum;

  void run(Threads threads) throws InterruptedException {
    Thread producer = threads.start(this::produce);
    Thread consumer = threads.start(this::consume);
    producer.join();
    consumer.join();
    check(sum != ITEMS * (ITEMS + 1) / 2, "sum " + sum);
  }

  private void produce() throws InterruptedException {
    for (int i = 0; i < ITEMS; i++) {
      lock.lock();
      try {
        while (held > 0) {
          empty.await();
        }
        held++;
        full.signal();
      } finally {
        lock.unlock();
      }
    }
  }

  private void consume() throws InterruptedException {
    for (int i = 1; i <= ITEMS; i++) {
      lock.lock();
      try {
        while (held == 0) {
          full.await();
        }
        held--;
        sum += i;
        empty.signal();
      } finally {
        lock.unlock();
      }
    }
  }
}
