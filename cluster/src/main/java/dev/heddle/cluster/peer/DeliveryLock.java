// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The lock under which one session is delivered. Who ends the session does not wait for it: what
/// remains to do is left to the thread that has it.
final class DeliveryLock {
  /*
   * A delivery calls code of the program: constructors of messages and codecs. If one waits, only
   * its session may. The end of that session comes from a thread that serves all sessions, so it
   * leaves the rest to the holder.
   *
   * Who leaves something writes it first and then tries the lock. The holder gives the lock back
   * first and then reads. So one of the two sees the other, and it is done once.
   * [DeliveryLockTest]
   */
  private final ReentrantLock lock = new ReentrantLock(true); // else the reader may never get it
  private final AtomicReference<@Nullable Runnable> left = new AtomicReference<>(); // any thread

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
    if (!lock.isHeldByCurrentThread()) {
      doWhatIsLeft();
    }
  }

  /// Whether this thread has it.
  boolean isHeld() {
    return lock.isHeldByCurrentThread();
  }

  /// Has something done under the lock, at once or by the thread that has it. Never waits.
  void doLast(Runnable last) {
    left.set(last);
    doWhatIsLeft();
  }

  private void doWhatIsLeft() {
    while (left.get() != null && lock.tryLock()) {
      try {
        Runnable last = left.getAndSet(null);
        if (last != null) {
          last.run();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
