// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.locks.ReentrantLock;

/// Both threads take a lock twice, and release it once. The second thread to come waits for ever.
final class Phases {
  private final ReentrantLock first = new ReentrantLock();
  private final ReentrantLock second = new ReentrantLock();

  void run(Threads threads) {
    threads.start(2, this::phases);
  }

  private void phases() {
    first.lock();
    first.unlock();
    first.lock();
    second.lock();
    second.unlock();
    second.lock();
    second.unlock();
  }
}
