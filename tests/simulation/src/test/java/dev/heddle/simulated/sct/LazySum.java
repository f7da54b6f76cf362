// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// Two threads add to a sum, a third denies that both may have done so before it looks.
final class LazySum {
  private final ReentrantLock lock = new ReentrantLock();
  private int sum;

  void run(Threads threads) {
    threads.start(() -> add(1));
    threads.start(() -> add(2));
    threads.start(() -> check(add(0) < 3, "both had added"));
  }

  private int add(int amount) {
    lock.lock();
    try {
      sum += amount;
      return sum;
    } finally {
      lock.unlock();
    }
  }
}
