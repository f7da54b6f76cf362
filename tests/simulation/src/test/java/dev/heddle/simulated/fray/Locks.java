// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Programs that try for a lock or a permit for some time.
final class Locks {
  private Locks() {}

  static void tryLockOfShortHold(Threads threads) throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    threads.start(() -> {
      lock.lock();
      Thread.yield();
      lock.unlock();
    });
    check(lock.tryLock(1, TimeUnit.MILLISECONDS), "not locked in a millisecond");
    Thread.yield();
    lock.unlock();
  }

  static void tryLockOfEndedOwner(Threads threads) throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch locked = new CountDownLatch(1);
    threads.start(() -> {
      lock.lock();
      locked.countDown();
    });
    locked.await();
    check(!lock.tryLock(1, TimeUnit.MILLISECONDS), "two have the lock");
  }

  static void tryAcquireOfNone() throws InterruptedException {
    Semaphore semaphore = new Semaphore(1);
    semaphore.acquire();
    check(!semaphore.tryAcquire(10, TimeUnit.SECONDS), "acquired what was not there");
  }

  static void interruptedTryLock(Threads threads) throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    CountDownLatch locked = new CountDownLatch(1);
    threads.start(() -> {
      lock.lock();
      try {
        locked.countDown();
        condition.await();
      } finally {
        lock.unlock();
      }
    });
    Thread trying =
        threads.start(() -> {
          try {
            if (lock.tryLock(1, TimeUnit.SECONDS)) {
              lock.unlock();
            }
          } catch (InterruptedException e) {
            // one of the ways to end
          }
        });
    locked.await();
    lock.lock();
    condition.signal();
    lock.unlock();
    trying.interrupt();
  }
}
