// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// Programs with a `ReentrantReadWriteLock`.
final class ReadWriteLocks {
  private static final ReentrantReadWriteLock SHARED = new ReentrantReadWriteLock();

  private ReadWriteLocks() {}

  static void readUnderWriter(Threads threads) throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    lock.writeLock().lock();
    threads.start(() -> lock.readLock().lock()).join();
  }

  static void twoReaders(Threads threads) throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    lock.readLock().lock();
    threads.start(() -> lock.readLock().lock()).join();
  }

  static void downgraded(Threads threads) throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    lock.writeLock().lock();
    lock.readLock().lock();
    lock.writeLock().unlock();
    threads.start(() -> lock.readLock().lock()).join();
  }

  static void readerAndWriter(Threads threads) throws InterruptedException {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    AtomicInteger count = new AtomicInteger();
    Thread reader = threads.start(() -> underLock(lock.readLock(), count::incrementAndGet));
    underLock(lock.writeLock(), count::incrementAndGet);
    reader.join();
    underLock(lock.writeLock(), count::incrementAndGet);
    lock.writeLock().lock();
  }

  static void twentyThreads(Threads threads) {
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    AtomicInteger count = new AtomicInteger();
    threads.start(10, () -> underLock(lock.readLock(), count::incrementAndGet));
    threads.start(10, () -> underLock(lock.writeLock(), count::incrementAndGet));
    underLock(lock.writeLock(), count::incrementAndGet);
    underLock(lock.writeLock(), count::incrementAndGet);
  }

  static void ofStaticField() {
    SHARED.readLock().lock();
    SHARED.readLock().unlock();
  }

  private static void underLock(Lock lock, Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }
}
