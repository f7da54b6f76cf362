// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// Many stock virtual threads, all parked below so many frames until released.
final class ParkedThreads {
  private final CountDownLatch arrived;
  private final CountDownLatch ended;
  private final Thread[] threads;
  private volatile boolean released;

  ParkedThreads(int count, int depth) throws InterruptedException {
    arrived = new CountDownLatch(count);
    ended = new CountDownLatch(count);
    threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] = Thread.startVirtualThread(() -> descend(depth));
    }
    arrived.await();
  }

  void release() throws InterruptedException {
    released = true;
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
    }
    ended.await();
  }

  private void descend(int frames) {
    if (frames > 1) {
      descend(frames - 1);
      return;
    }
    arrived.countDown();
    while (!released) {
      LockSupport.park();
    }
    ended.countDown();
  }
}
