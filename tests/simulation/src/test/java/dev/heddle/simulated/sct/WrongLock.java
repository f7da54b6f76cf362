// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// One thread counts under one lock and checks that nobody else did meanwhile; others count under
/// another lock.
final class WrongLock {
  private final ReentrantLock one = new ReentrantLock();
  private final ReentrantLock other = new ReentrantLock();
  private volatile int value;

  void run(Threads threads, int others) {
    threads.start(() -> underLock(one, this::countAndCheck));
    threads.start(others, () -> underLock(other, () -> value++));
  }

  private void countAndCheck() {
    int before = value;
    value++;
    check(value == before + 1, "from " + before + " to " + value);
  }

  private static void underLock(ReentrantLock lock, Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }
}
