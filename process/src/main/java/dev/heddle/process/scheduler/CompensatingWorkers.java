// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.CompensationCounters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Extra threads that resume fibers while no worker makes progress.
final class CompensatingWorkers {
  /*
   * A step runs on a worker's thread and a fiber is a virtual thread, but both take the same locks:
   * a logger's, a stream's. The JDK wakes the first waiter in a lock's queue. If that is a fiber,
   * it needs a worker before any waiter behind it can continue. If every worker is such a waiter,
   * in a step, none ever would. So a resumable fiber, one that the JDK has unblocked, runs on an
   * extra thread when no worker makes progress.
   *
   * States: the number of compensating workers.
   *
   * from  event                                              to     by
   * n     no worker has made progress for PATIENCE,          n + 1  the scheduler monitor: starts a
   *       a fiber is resumable                                      thread
   * n     the same, PATIENCE later: these threads may be     n + 1  the scheduler monitor, up to
   *       blocked too                                               MAX_WORKERS
   * n     a worker makes progress, or no queue has a         n - 1  the compensating worker: its
   *       resumable fiber                                           thread ends
   *
   * A compensating worker takes tasks from the queues of the workers and runs them as a worker
   * does, so all rules of Task hold. But it takes only tasks whose fiber is resumable: a step would
   * block behind the same lock. In the global queue the other tasks keep their places. The others
   * that it finds in a worker's deque go to the global queue, since their owner makes no progress.
   * Tasks that a fiber wakes go there too, because no thread steals from a compensating worker.
   *
   * While there is no resumable fiber (WorkScheduler.resumable) the queues are left alone.
   *
   * I1. While a fiber is resumable and its process is queued, a worker makes progress, or a
   *     compensating worker runs a fiber, or one is started after PATIENCE. [HeldUpTest]
   * I2. A task that a compensating worker passes over is in a queue while it runs another one.
   *     [HeldUpTest]
   *
   * The scheduler monitor checks these threads like workers, and reports a fiber that holds one too
   * long. They have counters of their own; an ending thread adds its counters to `pastRuns` and
   * `pastDelays` under a lock, since several may end at once.
   *
   * Cost. Two atomic additions for each JDK wait of a fiber. A thread while no worker makes
   * progress.
   *
   * Rejected. Compensation for any queued task, as in the JDK's pools: each step behind the lock
   * takes one thread, and there may be more steps than threads. Steps as virtual threads, which a
   * lock would unmount too: a mount for each step. A separate queue for resumable fibers: one that
   * is READY already, because it was cancelled, would not be in it.
   *
   * Sources. ForkJoinPool's compensation; Go hands off a P.
   */
  static final long PATIENCE_NANOS =
      5_000_000; // the longest wait of a runnable process that we guarantee
  private static final int MAX_WORKERS = 64; // each is blocked in native code, or computes

  private final WorkScheduler scheduler;
  private final String name;
  private final Consumer<Worker> onBegin; // both on the thread of the compensating worker
  private final Consumer<Worker> onEnd;

  // any thread
  private final Set<Worker> running = ConcurrentHashMap.newKeySet();

  // the scheduler monitor writes it
  private volatile boolean needed;

  // under the lock: compensating workers that end; readers
  private final SpinLock lock = new SpinLock();
  private final long[] pastDelays = new long[DelayHistogram.PLACES];
  private long pastRuns;

  // the scheduler monitor; any thread reads `started` as of a moment ago
  private long startedNanos = System.nanoTime() - PATIENCE_NANOS;
  private int started;

  CompensatingWorkers(
      WorkScheduler scheduler, String name, Consumer<Worker> onBegin, Consumer<Worker> onEnd) {
    this.scheduler = scheduler;
    this.name = name;
    this.onBegin = onBegin;
    this.onEnd = onEnd;
  }

  /// The threads that run a fiber or search for one.
  Set<Worker> running() {
    return running;
  }

  CompensationCounters counters() {
    lock.lock();
    try {
      long runs = pastRuns;
      for (Worker worker : running) {
        runs += worker.picks(); // safe: as of a moment ago
      }
      return new CompensationCounters(running.size(), started, runs);
    } finally {
      lock.unlock();
    }
  }

  void addDelaysTo(long[] sums) {
    lock.lock();
    try {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += pastDelays[i];
      }
      running.forEach(worker -> worker.delays.addTo(sums));
    } finally {
      lock.unlock();
    }
  }

  /// Moves the counters of a thread that ends to those of the past ones.
  private void ended(Worker worker) {
    lock.lock();
    try {
      if (running.remove(worker)) {
        pastRuns += worker.picks();
        worker.delays.addTo(pastDelays);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the scheduler monitor ----

  /// Called at each check.
  ///
  /// @param heldUp whether no worker makes progress
  void update(boolean heldUp, long now) {
    if (needed != heldUp) {
      needed = heldUp;
    }
    if (heldUp
        && scheduler.resumable() > 0
        && running.size() < MAX_WORKERS
        && now - startedNanos >= PATIENCE_NANOS) {
      startedNanos = now;
      WorkerThread.newCompensating(scheduler, name + "-" + started++, this::serve).start();
    }
  }

  // ---- a compensating worker ----

  /// Takes no task before it has everything that it needs. If there is no memory for that, the
  /// scheduler monitor starts another one after PATIENCE.
  private void serve(Worker worker) {
    try {
      running.add(worker);
      onBegin.accept(worker);
      WorkDeque<Task> hand = new WorkDeque<>();
      Task task;
      while (needed && (task = takeResumable(hand)) != null) {
        worker.run(task);
      }
    } catch (OutOfMemoryError _) {
      // safe: it has no task in hand
    } finally {
      ended(worker);
      onEnd.accept(worker);
    }
  }

  private @Nullable Task takeResumable(WorkDeque<Task> hand) {
    if (scheduler.resumable() == 0) {
      return null;
    }
    Task task = scheduler.first().pollResumable();
    if (task == null) {
      task = scheduler.global().pollResumable();
    }
    Worker[] workers = scheduler.workers();
    for (int i = 0; task == null && i < workers.length; i++) {
      task = stealResumable(workers[i].deque, hand);
    }
    return task;
  }

  /// False also when it fails, without memory for instance: the task, which no queue has now, must
  /// not be lost.
  private static boolean isResumable(Task task) {
    try {
      return task.isResumable();
    } catch (Throwable _) {
      return false;
    }
  }

  /// Searches the deque of a worker, and moves the other tasks to the global queue.
  private @Nullable Task stealResumable(WorkDeque<Task> theirs, WorkDeque<Task> hand) {
    Task found = null;
    Task task;
    while (found == null && theirs.size() > 0) {
      task = theirs.stealInto(hand); // null when another has taken it
      for (; task != null; task = hand.pollOldest()) {
        if (found == null && isResumable(task)) {
          found = task;
        } else {
          scheduler.global().push(task);
        }
      }
      scheduler.parking().wakeOne();
    }
    return found;
  }
}
