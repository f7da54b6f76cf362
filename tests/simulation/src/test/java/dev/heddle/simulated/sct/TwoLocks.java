// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// Two threads take two locks, each in its own order.
final class TwoLocks {
  private final ReentrantLock left = new ReentrantLock();
  private final ReentrantLock right = new ReentrantLock();
  private int counter;

  void run(Threads threads) {
    threads.start(() -> add(left, right, 1));
    threads.start(() -> add(right, left, -1));
  }

  private void add(ReentrantLock outer, ReentrantLock inner, int amount) {
    outer.lock();
    inner.lock();
    counter += amount;
    inner.unlock();
    outer.unlock();
  }
}
