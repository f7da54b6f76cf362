// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class DeliveryLockTest {
  private final DeliveryLock lock = new DeliveryLock();

  @Test
  void doLast_ofAFreeLock_isDoneAtOnce() {
    AtomicInteger done = new AtomicInteger();
    lock.doLast(done::incrementAndGet);
    assertThat(done).hasValue(1);
  }

  @Test
  void doLast_whileAnotherThreadHasTheLock_isDoneByThatThread() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch mayRelease = new CountDownLatch(1);
    CompletableFuture<Thread> by = new CompletableFuture<>();
    Thread holder =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              lock.lock();
              lock.lock(); // a delivery may deliver
              taken.countDown();
              try {
                mayRelease.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              } finally {
                lock.unlock();
                lock.unlock();
              }
            });
    taken.await();

    lock.doLast(() -> by.complete(Thread.currentThread())); // returns

    assertThat(by).isNotDone();
    mayRelease.countDown();
    assertThat(by.get()).isSameAs(holder);
  }

  @Test
  void doLast_amongDeliveries_isDoneOnceUnderTheLock() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      DeliveryLock one = new DeliveryLock();
      AtomicInteger held = new AtomicInteger();
      AtomicInteger done = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(() -> {
                  one.lock();
                  held.incrementAndGet();
                  held.decrementAndGet();
                  one.unlock();
                }));
      }
      one.doLast(() -> done.addAndGet(held.get() == 0 ? 1 : 100));
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(done).hasValue(1);
    }
  }
}
