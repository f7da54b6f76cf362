// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/// Numbers for new processes, and places for as many as may live at once.
final class ProcessSlots {
  /*
   * All starts and all ends of a runtime would write to the same few words, and two processors
   * would hand these to and fro with each. So each worker keeps some for itself: a block of
   * numbers, and places of processes that have ended on it.
   *
   * States of a place.
   *   FREE   acquire()      TAKEN  any thread: CAS on `freeSlots`
   *   KEPT   acquire()      TAKEN  any thread: CAS on the worker's count; its own worker first,
   *                                others
   *                             when nothing is FREE
   *   TAKEN  release()  KEPT   that worker, while it keeps few
   *   TAKEN  release()  FREE   any thread
   *
   * I1. A place is never in two states, and never in none: it moves with one CAS. So a thread that
   *     looks everywhere after release() has returned finds it, or another one has. [LifeTest]
   * I2. No number is given twice. [ProcessSlotsTest]
   *
   * Rejected. Moving places between workers by the dozen: while they are on their way no thread
   * finds them. A count for each thread, added up: the sum is of no moment.
   */
  /// Instead of a worker's number, on the thread of somebody else.
  static final int NO_WORKER = -1;

  private static final int BLOCK = 16; // numbers: a row of ProcessTable
  private static final int KEPT = 256; // places, at most, that a worker keeps: a burst of starts
  private static final int APART = 32; // ints, 16 longs: two lines of the cache, fetched together

  private final AtomicInteger freeSlots;
  private final AtomicLong blocks = new AtomicLong(1); // the first one is the strangers'

  // any thread, by CAS; only its worker gives back
  private final AtomicIntegerArray kept;

  // the worker: its next number; at the end of a block it takes another one
  private final long[] next;

  // those that are no workers
  private final AtomicLong outsideNumbers = new AtomicLong(1);

  /// As many free places as `limit`.
  ProcessSlots(int limit, int workers) {
    this.freeSlots = new AtomicInteger(limit);
    this.kept = new AtomicIntegerArray((workers + 1) * APART);
    this.next = new long[(workers + 1) * APART];
  }

  /// The number of the worker on whose thread this is called, or [#NO_WORKER].
  static int worker(WorkScheduler scheduler) {
    Worker worker = Worker.current();
    return worker != null && worker.scheduler() == scheduler && !worker.isCompensating()
        ? worker.number()
        : NO_WORKER;
  }

  /// A number that nobody has had.
  ///
  /// @param worker on whose thread this is, or [#NO_WORKER]
  long number(int worker) {
    if (worker == NO_WORKER) {
      return strangersNumber();
    }
    int mine = mine(worker);
    long number = next[mine];
    if (number % BLOCK == 0) { // also before the first
      number = blocks.getAndIncrement() * BLOCK;
    }
    next[mine] = number + 1;
    return number;
  }

  private long strangersNumber() {
    while (true) {
      long seen = outsideNumbers.get();
      long number = seen % BLOCK == 0 ? blocks.getAndIncrement() * BLOCK : seen;
      if (outsideNumbers.compareAndSet(seen, number + 1)) {
        return number; // else, of a new block, nobody will have these
      }
    }
  }

  /// Takes a place.
  ///
  /// @param worker on whose thread this is, or [#NO_WORKER]
  /// @return false when there is none
  boolean acquire(int worker) {
    if (worker != NO_WORKER && takeKept(mine(worker))) {
      return true;
    }
    for (int seen = freeSlots.get(); seen > 0; seen = freeSlots.get()) {
      if (freeSlots.compareAndSet(seen, seen - 1)) {
        return true;
      }
    }
    for (int of = APART; of < kept.length(); of += APART) {
      if (takeKept(of)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeKept(int of) {
    for (int seen = kept.get(of); seen > 0; seen = kept.get(of)) {
      if (kept.compareAndSet(of, seen, seen - 1)) {
        return true;
      }
    }
    return false;
  }

  /// Gives a place back.
  ///
  /// @param worker on whose thread this is, or [#NO_WORKER]
  void release(int worker) {
    if (worker != NO_WORKER && kept.get(mine(worker)) < KEPT) {
      kept.getAndIncrement(mine(worker));
    } else {
      freeSlots.getAndIncrement();
    }
  }

  private static int mine(int worker) {
    return (worker + 1) * APART; // the array's head has a line of its own
  }
}
