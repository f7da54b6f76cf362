// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import dev.heddle.internal.SpinLock;
import dev.heddle.process.CompensationCounters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Threads beside the workers, for bodies that may go on while no worker gets on.
final class CompensatingWorkers {
  /*
   * A step is a thread's, a body is a virtual thread, and both take the same locks: a logger's, a
   * stream's. The JDK wakes for a lock whoever was first in line. If that is a body, it needs a
   * worker before anybody behind it gets on; and if every worker stands behind it, in a step,
   * nobody ever would. So a body that is due (the JDK lets it go on) is run beside the workers
   * when none of them gets on.
   *
   * States.  from     event                                              to         who
   *          n        no worker has got on for PATIENCE, a body is due   n + 1      the lookout: starts a thread
   *          n        the same, PATIENCE later: spares may be held up    n + 1      the lookout, up to MAX_WORKERS
   *          n        a worker gets on, or no queue has a due body       n - 1      the spare: its thread ends
   *
   * A spare takes tasks out of the queues of the workers, as any of them would, and runs them as
   * tasks are run; so what holds of a task there holds here. But it takes only those that are due:
   * a step would stand behind the same lock. In the FIFO the others keep their places; those that
   * it finds in the deque of a worker go to the FIFO, since its owner does not get on. What a body
   * wakes on it goes to the FIFO too, since nobody steals from a spare.
   *
   * `resumable` counts bodies whose JDK wait is over and that have not run since. Without one the
   * queues are left alone.
   *
   * I1. While a body is due and its process is queued, a worker gets on, or a spare runs a body,
   *     or is started after PATIENCE. [HeldUpTest]
   * I2. A task that a spare passes by is in a queue when the spare runs something. [HeldUpTest]
   *
   * Watched as workers are: the lookout reports a body that holds its spare for too long. Counted
   * by themselves; what one that has ended has counted is added to `pastDeadline`, under a lock,
   * for there may be several.
   *
   * Cost. Two atomic additions for each JDK wait of a body. A thread while the workers are held up.
   *
   * Rejected. A spare for whatever is queued, as the JDK's pools have it: each step behind the
   * lock takes one, and there may be more steps than threads. Steps as virtual threads, so that a
   * lock unmounts them too: a mount for each. A lane for due bodies: one that is READY already,
   * since it was cancelled, would not be in it.
   *
   * Sources. ForkJoinPool's compensation, Go's hand-off of a P.
   */
  static final long PATIENCE_NANOS =
      5_000_000; // the longest wait that a runnable process is promised
  private static final int MAX_WORKERS = 64; // each is held up in native code, or computes

  private final WorkScheduler scheduler;
  private final String name;

  // any thread: bodies
  private final AtomicInteger resumable = new AtomicInteger();
  private final Set<Worker> running = ConcurrentHashMap.newKeySet();

  // the lookout writes it
  private volatile boolean needed;

  // spares that end, under the lock; any thread reads them under it
  private final SpinLock lock = new SpinLock();
  private final long[] pastDelays = new long[DelayHistogram.PLACES];
  private long pastRuns;

  // the lookout; any thread reads `started` of a moment ago
  private long startedNanos = System.nanoTime() - PATIENCE_NANOS;
  private int started;

  CompensatingWorkers(WorkScheduler scheduler, String name) {
    this.scheduler = scheduler;
    this.name = name;
  }

  /// A body is due. Any thread.
  void fiberResumable() {
    resumable.incrementAndGet();
  }

  /// One that was due goes on, or never will. Any thread.
  void fiberResumed() {
    resumable.decrementAndGet();
  }

  /// Those that run a body, or look for one.
  Set<Worker> running() {
    return running;
  }

  CompensationCounters counters() {
    lock.lock();
    try {
      long runs = pastRuns;
      for (Worker spare : running) {
        runs += spare.picks(); // safe: of a moment ago
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
      running.forEach(spare -> spare.delays().addTo(sums));
    } finally {
      lock.unlock();
    }
  }

  /// From here on what it has counted stands with those that have ended.
  private void ended(Worker spare) {
    lock.lock();
    try {
      if (running.remove(spare)) {
        pastRuns += spare.picks();
        spare.delays().addTo(pastDelays);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the lookout ----

  /// Says whether no worker gets on.
  void update(boolean heldUp, long now) {
    if (needed != heldUp) {
      needed = heldUp;
    }
    if (heldUp
        && resumable.get() > 0
        && running.size() < MAX_WORKERS
        && now - startedNanos >= PATIENCE_NANOS) {
      startedNanos = now;
      new Worker(scheduler, name + "-" + started++, this::serve).start();
    }
  }

  // ---- a spare ----

  /// Takes nothing into its hands before it has all that it needs. Without memory for that the
  /// lookout starts another one after PATIENCE.
  private void serve(Worker spare) {
    try {
      running.add(spare);
      WorkDeque<Task> hand = new WorkDeque<>();
      Task task;
      while (needed && (task = takeResumable(hand)) != null) {
        spare.run(task);
      }
    } catch (OutOfMemoryError _) {
      return; // safe: nothing is in its hands
    } finally {
      ended(spare);
    }
  }

  private @Nullable Task takeResumable(WorkDeque<Task> hand) {
    if (resumable.get() == 0) {
      return null;
    }
    Task task = scheduler.first().pollDue();
    if (task == null) {
      task = scheduler.global().pollDue();
    }
    Worker[] workers = scheduler.workers();
    for (int i = 0; task == null && i < workers.length; i++) {
      task = stealResumable(workers[i].deque(), hand);
    }
    return task;
  }

  /// Not when that cannot be told for want of memory: the task is in nobody else's hands.
  private static boolean isResumable(Task task) {
    try {
      return task.isResumable();
    } catch (Throwable _) {
      return false;
    }
  }

  /// Goes through what a worker has of its own. What is not due goes to the FIFO.
  private @Nullable Task stealResumable(WorkDeque<Task> theirs, WorkDeque<Task> hand) {
    Task due = null;
    Task task;
    while (due == null && theirs.size() > 0) {
      task = theirs.stealInto(hand); // null when another has taken it
      for (; task != null; task = hand.pollOldest()) {
        if (due == null && isResumable(task)) {
          due = task;
        } else {
          scheduler.global().push(task);
        }
      }
      scheduler.parking().wakeOne();
    }
    return due;
  }
}
