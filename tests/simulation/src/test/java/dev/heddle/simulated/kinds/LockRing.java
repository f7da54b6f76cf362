// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/// Three threads and three locks in a ring. Each takes two neighbours, three times, at any moment
/// of some milliseconds.
final class LockRing {
  private static final int SIZE = 3;

  private final ReentrantLock[] locks = {
    new ReentrantLock(), new ReentrantLock(), new ReentrantLock()
  };

  void run(Threads threads) {
    for (int i = 0; i < SIZE; i++) {
      ReentrantLock left = locks[i];
      ReentrantLock right = locks[(i + 1) % SIZE];
      threads.start(() -> takeBoth(left, right));
    }
  }

  private static void takeBoth(ReentrantLock left, ReentrantLock right)
      throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      Thread.sleep(ThreadLocalRandom.current().nextInt(5, 50));
      left.lock();
      try {
        Thread.sleep(1);
        right.lock();
        right.unlock();
      } finally {
        left.unlock();
      }
    }
  }
}
