// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.internal.SpinLock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/// A lock whose holder also does what others want done under it. Any thread; not reentrant.
final class CombiningLock {
  /*
   * What a thread wants done under a lock that it may hold itself, or that another one has, waits
   * in a queue. Whoever leaves the lock looks into the queue after it: what was added while it held
   * the lock is done by it, by a later holder, or by the thread that has added it. There is one
   * place where the lock is left, so no holder can forget it.
   *
   * Memory order. A thread adds, then it tries the lock. The holder releases the lock, then it
   * looks into the queue. One of the two sees the other's write: SpinLock stores and reads as a
   * volatile field, and so does the queue. [EntityTypeTest; mutant:
   * cluster-shard-queue-left-behind]
   *
   * What fails in the queue is of no concern to the thread that happens to do it: the rest is done
   * nevertheless, and the owner settles. [CombiningLockTest]
   *
   * The holder calls nothing that waits, and no code of the program: see SpinLock.
   */

  /// Who uses it.
  interface Owner {
    /// Under the lock, when all is done.
    void settle();

    /// Under the lock: something that waited in the queue has failed.
    void failed(RuntimeException failure);

    /// Without the lock, after each time that this thread had it.
    void left();
  }

  private final SpinLock lock = new SpinLock();
  private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
  private final Owner owner;

  CombiningLock(Owner owner) {
    this.owner = owner;
  }

  /// Does something under the lock: now, or when the thread that has the lock leaves it.
  void run(Runnable action) {
    later.add(action);
    doLater();
    owner.left();
  }

  /// Does something under the lock, behind what waits. Not from under the lock.
  <T> T call(Supplier<T> action) {
    try {
      return hold(action);
    } finally {
      owner.left();
    }
  }

  /// As [#call], but leaves what follows without the lock to the next one that has it.
  void finish(Runnable action) {
    boolean _ =
        hold(() -> {
          action.run();
          return true;
        });
  }

  private <T> T hold(Supplier<T> action) {
    lock.lock();
    try {
      doQueued();
      T result = action.get();
      settle();
      return result;
    } finally {
      leave();
    }
  }

  private void settle() {
    doQueued(); // what the action has told of
    owner.settle();
  }

  private void doQueued() {
    for (Runnable next = later.poll(); next != null; next = later.poll()) {
      try {
        next.run();
      } catch (RuntimeException e) {
        owner.failed(e);
      }
    }
  }

  private void leave() {
    lock.unlock();
    doLater();
  }

  private void doLater() {
    while (!later.isEmpty() && lock.tryLock()) {
      try {
        settle();
      } finally {
        lock.unlock(); // and looks again
      }
    }
  }
}
