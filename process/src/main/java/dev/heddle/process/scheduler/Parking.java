// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.internal.StackGuard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Which workers are busy, which search for work, which sleep; and whom to wake.
final class Parking {
  /*
   * One word counts the workers that are awake, and those of them that search. Sleepers stand in a
   * stack under a lock: the last to go to sleep, whose caches are warm, is the first to be woken.
   *
   * States of a worker.  from       event                       to         who, order
   *                      BUSY       finds nothing, startSearching()     SEARCHING  itself: CAS on the word; refused when half of all search
   *                      SEARCHING  finds work, stopSearching()         BUSY       itself: getAndAdd; then looks whether there is more
   *                      BUSY, SEARCHING  goes to sleep         ASLEEP     itself: under the lock, word by getAndAdd; then looks again
   *                      ASLEEP     wakeOne()                   SEARCHING  any thread: under the lock, word first; then unpark
   *                      ASLEEP     sees work after all         SEARCHING  itself: under the lock
   *
   * I1. A task that was put into a queue before wakeOne() is found by a worker that is awake, or a
   *     sleeper is woken for it. [ParkingStress]
   * I2. While somebody searches nobody is woken: a burst of tasks wakes workers one after the
   *     other, as each finds that there is more.
   * I3. Only sleepers are woken; never a worker that is busy. [ParkingTest]
   *
   * I4. While a deque has tasks to spare and somebody sleeps, somebody searches, or is being
   *     woken: its owner asks with the push that makes the first of them. After that whoever falls
   *     asleep looks, and the last searcher that finds something has the next woken for what is
   *     left (WorkScheduler.workFound). One race is left open, since to close it would take a fence
   *     for each push: an owner that does not see yet what a thief has just taken may miss that
   *     its push was such a one. The lookout asks for it, about a millisecond later.
   *     [WorkSchedulerTest]
   *
   * Memory order. Producer: publish the task, full fence, then read the word. The FIFO publishes
   * with a CAS; a deque's push and a batch that was moved are only released, so their worker has a
   * fence of its own (Worker.wakeThief; mutant: ParkingStress.NoFenceAfterPush). Worker: change the
   * word, a full fence with it, then look at all queues. Either the producer reads that nobody
   * searches and somebody sleeps, or the worker's look comes after the publication. The same
   * between the last searcher that found something and a producer that trusted in it:
   * stopSearching() changes the word before its caller looks. Mutant: ParkingStress.NoLook.
   *
   * Cost. A read of the word for each task that goes to the FIFO, or that is the first to spare in
   * its deque; the lock only to fall asleep and to wake.
   *
   * Rejected. Waking on each push: most tasks are popped by their pusher a moment later, and a
   * thief would carry them off. A lock-free stack of sleepers: falling asleep costs microseconds
   * anyway, and withdrawing from its middle is what a lock is good at.
   *
   * Sources. P6; trap-40. D. Vyukov's Go scheduler, and Tokio's, have the counts.
   */
  private static final int SEARCHING = 1;
  private static final int AWAKE = 1 << 16;
  private static final int SEARCHERS = AWAKE - 1; // mask
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Parking.class, "word", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int workers;
  private final SpinLock lock = new SpinLock();

  // under the lock
  private final ArrayDeque<Worker> sleepers;

  // any thread, CAS
  @SuppressWarnings("FieldMayBeFinal") // through WORD
  private volatile int word;

  Parking(int workers) {
    this.workers = workers;
    this.sleepers = new ArrayDeque<>(workers);
    this.word = workers * AWAKE;
  }

  // ---- workers, of themselves ----

  /// Asks to search.
  ///
  /// @return false when enough others do
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

  /// A searcher has found something.
  ///
  /// @return whether nobody searches any more, so that the caller should look for whoever else is
  ///   needed
  boolean stopSearching() {
    return ((int) WORD.getAndAdd(this, -SEARCHING) & SEARCHERS) == 1;
  }

  /// Puts a worker among the sleepers. It must look at all queues before it parks.
  void park(Worker worker, boolean searching) {
    lock.lock();
    try {
      worker.asleep = true;
      sleepers.push(worker);
      var _ = (int) WORD.getAndAdd(this, -AWAKE - (searching ? SEARCHING : 0));
    } finally {
      lock.unlock();
    }
  }

  /// Takes a worker that has seen work out of the sleepers; it searches now, also when it was woken
  /// before.
  void cancelPark(Worker worker) {
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

  /// Wakes a sleeper for work that was published, unless somebody searches already.
  void wakeOne() {
    int seen = word;
    if ((seen & SEARCHERS) == 0 && seen < workers * AWAKE) {
      wake(false);
    }
  }

  /// Wakes a sleeper, whoever else searches.
  ///
  /// @return whether there was one
  boolean wake(boolean also) {
    StackGuard.requireRoom(); // from here on it must not stop half-way
    Worker worker;
    lock.lock();
    try {
      if (!also && (word & SEARCHERS) != 0) {
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

  private void markAwake(Worker worker) {
    var _ = (int) WORD.getAndAdd(this, AWAKE + SEARCHING);
    worker.asleep = false;
  }

  /// Wakes all.
  void wakeAll() {
    boolean more;
    do {
      more = wake(true);
    } while (more);
  }

  /// How many workers do not sleep.
  int awakeCount() {
    return word / AWAKE;
  }

  /// Who sleeps, for reports.
  boolean isAsleep(@Nullable Worker worker) {
    return worker != null && worker.asleep;
  }
}
