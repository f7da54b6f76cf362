// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A thread that is woken for a time sleeps on when it will look before that time.
@Timeout(300)
final class WakeByTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final AtomicInteger looks = new AtomicInteger();
  private final LinkedBlockingQueue<Integer> looked = new LinkedBlockingQueue<>();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private WakeableThread thread = new WakeableThread("unused", () -> 0);

  @AfterEach
  void stop() {
    goOn.countDown();
    thread.stop();
  }

  private void start(WakeableThread made) {
    thread = made;
    made.start();
  }

  /// Looks, and sleeps for an hour.
  private long look() {
    looked.add(looks.incrementAndGet());
    return System.nanoTime() + HOUR;
  }

  @Test
  void laterTime_doesNotWakeIt_soonerOneDoes() throws InterruptedException {
    start(new WakeableThread("sleeps-an-hour", this::look));
    assertThat(looked.take()).isEqualTo(1);
    awaitSleep();

    for (int i = 0; i < 1_000; i++) {
      thread.wakeBy(System.nanoTime() + 2 * HOUR);
    }
    thread.wakeBy(System.nanoTime() + HOUR / 2);

    assertThat(looked.take()).isEqualTo(2);
    awaitSleep();
    assertThat(looks).hasValue(2);
  }

  /// What it has found before may have changed since.
  @Test
  void anyTime_makesItLookAgain_whileItLooks() throws InterruptedException {
    var inside = new CountDownLatch(1);
    start(
        new WakeableThread(
            "looks-slowly",
            () -> {
              long at = look();
              if (looks.get() == 1) {
                return System.nanoTime();
              }
              inside.countDown();
              awaitUninterruptibly(goOn);
              return at;
            }));
    inside.await();

    thread.wakeBy(System.nanoTime() + HOUR / 2);
    goOn.countDown();

    assertThat(looked.take()).isEqualTo(1);
    assertThat(looked.take()).isEqualTo(2);
    assertThat(looked.take()).isEqualTo(3);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitSleep() {
    while (!thread.isAsleep()) {
      Thread.onSpinWait();
    }
  }
}
