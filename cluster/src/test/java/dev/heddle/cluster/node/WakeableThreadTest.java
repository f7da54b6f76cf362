// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class WakeableThreadTest {
  private final AtomicReference<Thread> thread = new AtomicReference<>();

  private WakeableThread start(LongSupplier work) {
    WakeableThread made =
        new WakeableThread(
            "heddle-test",
            () -> {
              thread.set(Thread.currentThread());
              return work.getAsLong();
            });
    made.start();
    return made;
  }

  @Test
  void work_thatThrows_isDoneAgain() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(2);
    WakeableThread it =
        start(() -> {
          again.countDown();
          if (calls.incrementAndGet() == 1) {
            throw new StackOverflowError("as if");
          }
          return Long.MAX_VALUE;
        });
    again.await(); // without a wake
    it.stop();
  }

  @Test
  void wake_whileTheWorkIsDone_hasItDoneOnceMore() throws InterruptedException {
    Semaphore called = new Semaphore(0);
    Semaphore returns = new Semaphore(0);
    WakeableThread it =
        start(() -> {
          called.release();
          returns.acquireUninterruptibly();
          return Long.MAX_VALUE;
        });
    called.acquire();
    it.wake();
    returns.release();
    called.acquire(); // once more, without another wake
    returns.release(1_000);
    it.stop();
    thread.get().join();
  }

  @Test
  void awaitPass_returnsAfterTheWork_orAtItsTime() throws InterruptedException {
    WakeableThread it = start(() -> System.nanoTime() + 1_000_000);
    it.awaitPass(System.nanoTime() + 3_600_000_000_000L); // an hour: the work passes before
    it.awaitPass(System.nanoTime() - 1);
    it.stop();
    thread.get().join();
    it.awaitPass(System.nanoTime() + 3_600_000_000_000L); // stopped: nothing passes any more
  }
}
