// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.CountDownLatch;

/// Programs about the two ends of a thread's life.
final class ThreadEnds {
  private ThreadEnds() {}

  static void monitorOfEndingThread(Threads threads) throws InterruptedException {
    Thread ending = threads.make(() -> {});
    synchronized (ending) {
      threads.start(ending);
      new CountDownLatch(1).await();
    }
  }

  static void interruptUnstarted() {
    new Thread(() -> {}).interrupt();
  }
}
