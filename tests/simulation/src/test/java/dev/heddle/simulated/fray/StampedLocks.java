// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;

/// Programs with a `StampedLock`, which is not reentrant.
final class StampedLocks {
  private StampedLocks() {}

  static void writeAfterRead() {
    StampedLock lock = new StampedLock();
    lock.readLock();
    lock.writeLock();
  }

  static void readAfterConversionToWrite() {
    StampedLock lock = new StampedLock();
    long stamp = lock.tryConvertToWriteLock(lock.readLock());
    check(stamp != 0, "not converted");
    lock.readLock();
  }

  static void readAfterConversionToRead() {
    StampedLock lock = new StampedLock();
    long stamp = lock.tryConvertToReadLock(lock.writeLock());
    check(stamp != 0, "not converted");
    lock.readLock();
    lock.readLock();
  }

  static void timedTryRead() throws InterruptedException {
    StampedLock lock = new StampedLock();
    lock.writeLock();
    long stamp = lock.tryReadLock(1, TimeUnit.MILLISECONDS);
    check(stamp == 0, "read under a write lock");
  }
}
