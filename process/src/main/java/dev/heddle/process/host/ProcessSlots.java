// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerThread;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/// Numbers for new processes, and slots for as many as may be alive at once.
final class ProcessSlots {
  /*
   * All starts and ends of a runtime would write to the same few words, and processors would bounce
   * their cache lines. So each worker keeps some: a block of numbers, and the slots of processes
   * that have ended on it.
   *
   * States of a slot.
   *   FREE   acquire()  TAKEN  any thread: CAS on `freeSlots`
   *   KEPT   acquire()  TAKEN  any thread: CAS on the count of a worker: first that of its own
   *                            worker; those of others when no slot is FREE
   *   TAKEN  release()  KEPT   that worker, while it keeps few
   *   TAKEN  release()  FREE   any thread
   *
   * I1. A slot is in exactly one state at any time: it moves with one CAS. So a thread that
   *     searches everywhere after release() has returned finds the slot, or another thread has
   *     taken it. [LifeTest]
   * I2. No number is used twice. [ProcessSlotsTest]
   *
   * Rejected. Moving slots between workers by the dozen: no thread finds them during the move. A
   * count for each thread, added up: the sum is not valid at any one moment.
   */
  /// In place of a worker's number, on any other thread.
  static final int NO_WORKER = -1;

  private static final int BLOCK = 16; // numbers: a row of ProcessTable
  private static final int KEPT = 256; // slots at most that a worker keeps: a burst of starts
  private static final int APART = 32; // ints, or 16 longs: two cache lines, fetched together

  private final AtomicInteger freeSlots;
  private final AtomicLong blocks = new AtomicLong(1); // block 0 is for other threads

  // taken by any thread, by CAS; released to by its worker only
  private final AtomicIntegerArray kept;

  // the worker: its next number; at the end of a block it takes another block
  private final long[] next;

  // other threads
  private final AtomicLong outsideNumbers = new AtomicLong(1);

  ProcessSlots(int limit, int workers) {
    this.freeSlots = new AtomicInteger(limit);
    this.kept = new AtomicIntegerArray((workers + 1) * APART);
    this.next = new long[(workers + 1) * APART];
  }

  /// The number of the worker on whose thread this is called, or [#NO_WORKER].
  static int worker(WorkScheduler scheduler) {
    Worker worker = WorkerThread.currentWorker();
    return worker != null && worker.scheduler() == scheduler && !worker.isCompensating()
        ? worker.number()
        : NO_WORKER;
  }

  /// A number that was not used before.
  ///
  /// @param worker that of the current thread, or [#NO_WORKER]
  long number(int worker) {
    if (worker == NO_WORKER) {
      return outsideNumber();
    }
    int mine = mine(worker);
    long number = next[mine];
    if (number % BLOCK == 0) { // also before the first
      number = blocks.getAndIncrement() * BLOCK;
    }
    next[mine] = number + 1;
    return number;
  }

  private long outsideNumber() {
    while (true) {
      long seen = outsideNumbers.get();
      long number = seen % BLOCK == 0 ? blocks.getAndIncrement() * BLOCK : seen;
      if (outsideNumbers.compareAndSet(seen, number + 1)) {
        return number; // else the numbers of a new block stay unused
      }
    }
  }

  /// Takes a slot.
  ///
  /// @param worker that of the current thread, or [#NO_WORKER]
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

  /// Releases a slot.
  ///
  /// @param worker that of the current thread, or [#NO_WORKER]
  void release(int worker) {
    if (worker != NO_WORKER && kept.get(mine(worker)) < KEPT) {
      kept.getAndIncrement(mine(worker));
    } else {
      freeSlots.getAndIncrement();
    }
  }

  private static int mine(int worker) {
    return (worker + 1) * APART; // the array's head has its own cache line
  }
}
