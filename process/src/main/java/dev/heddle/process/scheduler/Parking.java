// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;

/// Counts the workers that are awake and those that search for work, and wakes parked workers.
final class Parking extends CacheLinePadding {
  /*
   * One word counts the workers that are awake, and how many of them are searching. Parked workers
   * are on a stack under a lock: the last worker to park, whose caches are warm, is the first to be
   * woken.
   *
   * States of a worker.
   *
   * from             event                      to         by, how
   * BUSY             finds no task,             SEARCHING  itself: CAS on the word; refused while
   *                  startSearching()                      half of all workers search
   * SEARCHING        finds a task,              BUSY       itself: getAndAdd; then it checks for
   *                  stopSearching()                       more work
   * BUSY, SEARCHING  park()                     ASLEEP     itself: under the lock, getAndAdd;
   *                                                        then it checks all queues once more
   * ASLEEP           wakeOne()                  SEARCHING  any thread: under the lock, first the
   *                                                        word, then `asleep`, which ends the
   *                                                        wait; then unpark
   * ASLEEP           finds work in that check,  SEARCHING  itself: under the lock
   *                  cancelPark()
   *
   * Words. A worker is overdue when two checks of the scheduler monitor, a millisecond apart, have
   * found it in the same run, until it begins another run. The tasks of a deque are stealable when
   * there are two or more, or when there is one and its owner is overdue (Worker.hasStealable).
   *
   * I1. If a task was queued before a call of wakeOne(), a worker that is awake finds it, or a
   *     parked worker is woken for it. [ParkingStress]
   * I2. While a worker searches, wakeOne() wakes no other. So many tasks that come together wake
   *     workers one after the other, as each searcher finds that more work is left. This only saves
   *     wake-ups: wakeAll() wakes all workers, and a worker may begin to search between the check
   *     and the wake-up, because startSearching() takes no lock.
   * I3. Only parked workers are woken, never busy ones. [ParkingTest]
   *
   * I4. If a deque holds stealable tasks and any worker is parked, then some worker is searching or
   *     being woken. The owner calls wakeOne() with the push that makes the first task stealable.
   *     From then on each worker that parks checks the deques, and the last searcher that finds a
   *     task wakes the next worker for what is left (WorkScheduler.workFound). Between a thief's
   *     CAS and the release of its own bottom, the tasks that it moves are in no deque; but the
   *     thief counts as searching until it calls workFound(), after that release. Two cases stay
   *     open. An owner that does not yet see a steal may not notice that its push has made the
   *     first stealable task; closing this race would take a fence for each push. And the push of
   *     an overdue owner into its empty deque makes a stealable task at once, but
   *     Worker.notifyFirstStealable() tests for two. In both cases, and when a wake-up has failed
   *     for lack of memory, the scheduler monitor wakes a worker about a millisecond later; if all
   *     workers sleep, within a second.
   *     [WorkSchedulerTest]
   *
   * Memory order. A producer publishes the task, executes a full fence, then reads the word. The
   * global queue publishes with a CAS, which is that fence. A push to a deque, or a batch moved
   * into it, is only a release store, so the worker adds a fence (Worker.wakeThief; mutant:
   * ParkingStress.NoFenceAfterPush). A worker changes the word, which is a full fence, then checks
   * all queues. So either the producer sees the parked worker, or the worker's check sees the
   * task. The same holds between the last searcher that found a task and a producer that relied on
   * it: stopSearching() changes the word before its caller checks. Mutant: ParkingStress.NoLook.
   *
   * Cost. One read of the word for each task that enters the global queue or becomes the first
   * stealable task of a deque. The lock is taken only to park and to wake.
   *
   * Rejected. Waking on each push: the pusher pops most tasks a moment later itself, and a thief
   * would take them away from its cache. A lock-free stack of parked workers: parking costs
   * microseconds anyway, and cancelPark() removes from the middle, for which a lock is simple.
   *
   * Sources. P6. The schedulers of Go (D. Vyukov) and of Tokio keep the same counts.
   */
  private static final int SEARCHING = 1;
  private static final int AWAKE = 1 << 16;
  private static final int SEARCHERS = AWAKE - 1; // mask
  private static final VarHandle WORD = VarHandles.find(lookup(), "word", int.class);

  /// A worker as it is parked and woken.
  static final class Place {
    private final Thread thread;

    // under the lock; its worker reads it until it is false
    private volatile boolean asleep;

    Place(Thread thread) {
      this.thread = thread;
    }

    boolean isAsleep() {
      return asleep;
    }

    void unpark() {
      LockSupport.unpark(thread);
    }
  }

  private final int workers;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private final ArrayDeque<Place> sleepers;

  // any thread, CAS
  @SuppressWarnings("FieldMayBeFinal") // through WORD
  private volatile int word;

  Parking(int workers) {
    this.workers = workers;
    this.sleepers = new ArrayDeque<>(workers);
    this.word = workers * AWAKE;
  }

  // ---- a worker, for itself ----

  /// Counts the caller as searching.
  ///
  /// @return false when enough workers search already
  boolean startSearching() {
    while (true) {
      int seen = word;
      if (2 * (seen & SEARCHERS) >= workers) {
        return false;
      }
      if (WORD.compareAndSet(this, seen, seen + SEARCHING)) {
        return true;
      }
    }
  }

  /// A searcher has found a task.
  ///
  /// @return whether it was the last searcher: the caller must then check for more work
  boolean stopSearching() {
    return ((int) WORD.getAndAdd(this, -SEARCHING) & SEARCHERS) == 1;
  }

  /// Adds a worker to the parked ones. The worker must check all queues before it blocks.
  void park(Place worker, boolean searching) {
    lock.lock();
    try {
      worker.asleep = true;
      sleepers.push(worker);
      var _ = (int) WORD.getAndAdd(this, -AWAKE - (searching ? SEARCHING : 0));
    } finally {
      lock.unlock();
    }
  }

  /// Removes a worker that has found work from the parked ones. It counts as searching then, also
  /// when another thread has woken it before.
  void cancelPark(Place worker) {
    lock.lock();
    try {
      if (worker.asleep) {
        sleepers.remove(worker);
        markAwake(worker);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- any thread ----

  /// Wakes a parked worker for work that was published, unless a worker searches already.
  void wakeOne() {
    int seen = word;
    if ((seen & SEARCHERS) == 0 && seen < workers * AWAKE) {
      wake(false);
    }
  }

  /// Wakes a parked worker.
  ///
  /// @param evenIfSearching false to wake none while another worker searches
  /// @return whether one was woken
  boolean wake(boolean evenIfSearching) {
    StackGuard.requireRoom(); // the rest must not be interrupted
    Place worker;
    lock.lock();
    try {
      if (!evenIfSearching && (word & SEARCHERS) != 0) {
        return false;
      }
      worker = sleepers.poll();
      if (worker == null) {
        return false;
      }
      markAwake(worker);
    } finally {
      lock.unlock();
    }
    worker.unpark();
    return true;
  }

  private void markAwake(Place worker) {
    var _ = (int) WORD.getAndAdd(this, AWAKE + SEARCHING);
    worker.asleep = false;
  }

  void wakeAll() {
    boolean more;
    do {
      more = wake(true);
    } while (more);
  }

  /// The number of workers that are not parked.
  int awakeCount() {
    return word / AWAKE;
  }
}
