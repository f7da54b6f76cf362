// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.util.concurrent.CountDownLatch;

/// Counts timers that fired on one thread and lets another wait for the last.
final class Countdown {
  private final CountDownLatch done = new CountDownLatch(1);
  private long left; // firing thread only

  Countdown(long count) {
    left = count;
  }

  void fired() {
    if (--left == 0) {
      done.countDown();
    }
  }

  void await() throws InterruptedException {
    done.await();
  }
}
