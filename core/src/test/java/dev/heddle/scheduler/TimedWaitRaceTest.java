// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.scheduler.context.ExecutionContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Timed waits whose time ends beside everything else that ends them: unparks, messages,
/// notifications, interrupts and the end of the loop, of the same loop and of another thread, while
/// both also read the stacks. None is lost, in which case the test does not end, and none that
/// reports a time-out is early.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("T13.2")
class TimedWaitRaceTest {
  private static final int SEEDS = 30;
  private static final int WAITERS = 12;
  private static final int WAITS = 12; // of each
  private static final int MOST = 1_500_000; // ns

  private final LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Object monitor = new Object();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<String> early = new CopyOnWriteArrayList<>();
  private volatile boolean over;

  private void waitOften(Random random, CountDownLatch ended) {
    threads.add(Thread.currentThread());
    for (int i = 0; i < WAITS; i++) {
      long nanos = 1L + random.nextInt(MOST);
      long start = System.nanoTime();
      int kind = random.nextInt(5);
      try {
        if (hasTimedOut(kind, nanos) && System.nanoTime() - start < nanos) {
          early.add("wait of kind " + kind);
        }
      } catch (InterruptedException e) {
        // the next wait follows, also after the end of the loop
      }
    }
    ended.countDown();
  }

  /// Whether the wait says that its time is over.
  @SuppressWarnings("WaitNotInLoop") // one wait is the subject, also one that ends for no reason
  private boolean hasTimedOut(int kind, long nanos) throws InterruptedException {
    return switch (kind) {
      case 0 -> {
        Thread.sleep(Duration.ofNanos(nanos));
        yield true;
      }
      case 1 -> {
        LockSupport.parkNanos(nanos);
        yield false;
      }
      case 2 -> queue.poll(nanos, TimeUnit.NANOSECONDS) == null;
      case 3 -> {
        synchronized (monitor) {
          monitor.wait(1 + nanos / 1_000_000);
        }
        yield false;
      }
      default -> !holdsLockWithin(nanos);
    };
  }

  private boolean holdsLockWithin(long nanos) throws InterruptedException {
    if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    try {
      LockSupport.parkNanos(nanos / 4);
    } finally {
      lock.unlock();
    }
    return true;
  }

  private void disturb(Random random) {
    Thread one = threads.isEmpty() ? null : threads.get(random.nextInt(threads.size()));
    switch (random.nextInt(6)) {
      case 0 -> LockSupport.unpark(one);
      case 1 -> queue.add("message");
      case 2 -> {
        synchronized (monitor) {
          monitor.notifyAll();
        }
      }
      case 3 -> {
        if (one != null) {
          assertThat(one.getStackTrace()).isNotNull();
        }
      }
      case 4 -> queue.clear();
      default -> Thread.onSpinWait();
    }
  }

  private CountDownLatch run(int seed, boolean endsEarly) throws InterruptedException {
    over = false;
    threads.clear();
    queue.clear();
    CountDownLatch ended = new CountDownLatch(WAITERS);
    Thread outside =
        Thread.ofPlatform()
            .start(() -> {
              Random random = new Random(~seed);
              while (!over) {
                disturb(random);
              }
            });
    try {
      Heddle.run(() -> race(new Random(seed), ended, endsEarly));
    } catch (Cancellation e) {
      assertThat(endsEarly).isTrue();
    } finally {
      over = true;
      outside.join();
    }
    return ended;
  }

  private void race(Random random, CountDownLatch ended, boolean endsEarly) {
    List<Coroutine<?>> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      Random own = new Random(random.nextLong());
      waiters.add(
          Heddle.spawn(() -> {
            waitOften(own, ended);
            return true;
          }));
    }
    int turns = endsEarly ? 1 + random.nextInt(59) : Integer.MAX_VALUE;
    for (int i = 0; i < turns && waiters.stream().anyMatch(one -> !one.isDone()); i++) {
      disturb(random);
      Heddle.yieldNow();
    }
    if (endsEarly) {
      Heddle.shutdown(Duration.ZERO);
    }
    waiters.forEach(Coroutine::await);
    Scheduler loop = (Scheduler) ExecutionContext.current().host();
    assertThat(loop.parkTimers.armed()).isPositive();
    assertThat(loop.parkTimers.pending()).isZero();
  }

  @Test
  void timedWaits_besideAllThatEndsThem_areNeitherLostNorEarly() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(run(seed, false).getCount()).as("seed " + seed).isZero();
      assertThat(early).as("seed " + seed).isEmpty();
    }
  }

  @Test
  @Tag("T18")
  void timedWaits_whoseLoopEndsMeanwhile_allEnd() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      run(seed, true).await();
      assertThat(early).as("seed " + seed).isEmpty();
    }
  }
}
