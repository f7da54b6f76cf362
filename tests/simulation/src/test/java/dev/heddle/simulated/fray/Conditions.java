// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.Date;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Programs that wait for a condition.
final class Conditions {
  private static final ReentrantLock SHARED = new ReentrantLock();
  private static final Condition SHARED_CONDITION = SHARED.newCondition();

  private Conditions() {}

  static void awaitWithoutLock() throws InterruptedException {
    new ReentrantLock().newCondition().awaitNanos(1_000);
  }

  @SuppressWarnings("JavaUtilDate") // what awaitUntil takes
  static void timedAwaits() throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    lock.lock();
    try {
      condition.await(1, TimeUnit.SECONDS);
      condition.awaitUntil(new Date(System.currentTimeMillis() + 1_000));
      condition.awaitNanos(1_000_000_000);
    } finally {
      lock.unlock();
    }
  }

  static void signalledAndInterrupted(Threads threads) {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    threads.start(() -> {
      Thread waiting = Thread.currentThread();
      lock.lock();
      threads.start(() -> {
        lock.lock();
        condition.signalAll();
        lock.unlock();
        waiting.interrupt();
      });
      awaitOrInterrupt(condition);
      lock.unlock();
    });
  }

  static void manySignalsAndInterrupts(Threads threads) {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    for (int i = 0; i < 2; i++) {
      Thread waiting =
          threads.start(() -> {
            lock.lock();
            awaitOrInterrupt(condition);
            lock.unlock();
          });
      threads.start(waiting::interrupt);
    }
    threads.start(() -> {
      for (int i = 0; i < 10; i++) {
        lock.lock();
        condition.signal();
        lock.unlock();
        Thread.yield();
      }
    });
  }

  static void ofStaticField(Threads threads) {
    CountDownLatch locked = new CountDownLatch(1);
    threads.start(() -> {
      SHARED.lock();
      locked.countDown();
      awaitOrInterrupt(SHARED_CONDITION);
      SHARED.unlock();
    });
    threads.start(() -> {
      locked.await();
      SHARED.lock();
      SHARED_CONDITION.signalAll();
      SHARED.unlock();
    });
  }

  /// A thread that waits for at most a second, and says whether it was interrupted.
  private static final class Waiting {
    final ReentrantLock lock = new ReentrantLock();
    final Condition condition = lock.newCondition();
    final AtomicBoolean interrupted = new AtomicBoolean();

    void await() {
      lock.lock();
      try {
        condition.await(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted.set(true);
      } finally {
        lock.unlock();
      }
    }

    void checkInterrupted(Thread waiting) {
      lock.lock();
      try {
        check(waiting.isInterrupted() || interrupted.get(), "the interrupt is lost");
      } finally {
        lock.unlock();
      }
    }
  }

  static void timedAwaitInterrupted(Threads threads) {
    Waiting waiting = new Waiting();
    Thread thread = threads.start(waiting::await);
    Thread.yield();
    thread.interrupt();
    waiting.checkInterrupted(thread);
  }

  static void timedAwaitLockedInterrupted(Threads threads) {
    Waiting waiting = new Waiting();
    Thread thread = threads.start(waiting::await);
    waiting.lock.lock();
    waiting.lock.unlock();
    thread.interrupt();
    waiting.checkInterrupted(thread);
  }

  private static void awaitOrInterrupt(Condition condition) {
    try {
      condition.await();
    } catch (InterruptedException e) {
      // one of the two ways to come back
    }
  }
}
