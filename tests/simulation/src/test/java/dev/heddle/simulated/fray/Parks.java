// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// Programs with `LockSupport`.
final class Parks {
  private static final long SECOND = 1_000_000_000;

  private Parks() {}

  static void parkForEver() {
    LockSupport.park();
  }

  static void trustsPark(Threads threads) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean back = new AtomicBoolean();
    Thread parked =
        threads.start(() -> {
          started.countDown();
          LockSupport.park();
          back.set(true);
        });
    started.await();
    boolean early = back.get();
    LockSupport.unpark(parked);
    check(!early, "it came back before it was unparked");
  }

  static void interruptedPark(Threads threads) {
    Thread parked = threads.start(() -> LockSupport.parkNanos(SECOND));
    parked.interrupt();
  }

  static void timedParks() {
    Object blocker = new Object();
    LockSupport.parkNanos(SECOND);
    LockSupport.parkUntil(System.currentTimeMillis() + 1_000);
    LockSupport.parkUntil(blocker, System.currentTimeMillis() + 1_000);
    LockSupport.parkNanos(blocker, SECOND);
  }
}
