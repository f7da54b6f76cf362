// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/// Numbers for new processes, and places for as many as may live at once.
final class Places {
  /*
   * All starts and all ends of a runtime would write to the same few words, and two processors
   * would hand these to and fro with each. So each worker keeps some for itself: a block of
   * numbers, and places of processes that have ended on it.
   *
   * States of a place.
   *   FREE   take()      TAKEN  any thread: CAS on `free`
   *   KEPT   take()      TAKEN  any thread: CAS on the worker's count; its own worker first, others
   *                             when nothing is FREE
   *   TAKEN  giveBack()  KEPT   that worker, while it keeps few
   *   TAKEN  giveBack()  FREE   any thread
   *
   * I1. A place is never in two states, and never in none: it moves with one CAS. So a thread that
   *     looks everywhere after giveBack() has returned finds it, or another one has. [LifeTest]
   * I2. No number is given twice. [PlacesTest]
   *
   * Rejected. Moving places between workers by the dozen: while they are on their way no thread
   * finds them. A count for each thread, added up: the sum is of no moment.
   */
  /// Instead of a worker's number, on the thread of somebody else.
  static final int NOBODY = -1;

  private static final int BLOCK = 16; // numbers: a row of ProcessTable
  private static final int KEPT = 256; // places, at most, that a worker keeps: a burst of starts
  private static final int APART = 32; // ints, 16 longs: two lines of the cache, fetched together

  private final AtomicInteger free;
  private final AtomicLong blocks = new AtomicLong(1); // the first one is the strangers'

  // any thread, by CAS; only its worker gives back
  private final AtomicIntegerArray kept;

  // the worker: its next number; at the end of a block it takes another one
  private final long[] next;

  // those that are no workers
  private final AtomicLong strangers = new AtomicLong(1);

  /// As many free places as `limit`.
  Places(int limit, int workers) {
    this.free = new AtomicInteger(limit);
    this.kept = new AtomicIntegerArray((workers + 1) * APART);
    this.next = new long[(workers + 1) * APART];
  }

  /// The number of the worker on whose thread this is called, or [#NOBODY].
  static int worker(WorkScheduler scheduler) {
    Worker worker = Worker.current();
    return worker != null && worker.scheduler() == scheduler && !worker.isSpare()
        ? worker.number()
        : NOBODY;
  }

  /// A number that nobody has had.
  ///
  /// @param worker on whose thread this is, or [#NOBODY]
  long number(int worker) {
    if (worker == NOBODY) {
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
      long seen = strangers.get();
      long number = seen % BLOCK == 0 ? blocks.getAndIncrement() * BLOCK : seen;
      if (strangers.compareAndSet(seen, number + 1)) {
        return number; // else, of a new block, nobody will have these
      }
    }
  }

  /// Takes a place.
  ///
  /// @param worker on whose thread this is, or [#NOBODY]
  /// @return false when there is none
  boolean take(int worker) {
    if (worker != NOBODY && takeKept(mine(worker))) {
      return true;
    }
    for (int seen = free.get(); seen > 0; seen = free.get()) {
      if (free.compareAndSet(seen, seen - 1)) {
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
  /// @param worker on whose thread this is, or [#NOBODY]
  void giveBack(int worker) {
    if (worker != NOBODY && kept.get(mine(worker)) < KEPT) {
      kept.getAndIncrement(mine(worker));
    } else {
      free.getAndIncrement();
    }
  }

  private static int mine(int worker) {
    return (worker + 1) * APART; // the array's head has a line of its own
  }
}
