// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The FIFO of all workers: what comes from outside, and what has used up its budget.
public final class GlobalQueue {
  /*
   * Two lists of the tasks' own links. Producers put tasks on `arrived`, newest first, with a CAS.
   * A consumer holds the lock; when `waiting` is empty it takes all that has arrived with one
   * exchange and turns it round.
   *
   * Threads. push(): any; never blocks. poll(), pollInto(), pollDue(): any, under the lock, which
   * is held for some tens of nanoseconds, while arrivals are turned round, and by pollDue(), while
   * no worker gets on, for a look at each task.
   *
   * I1. Tasks leave in the order of their pushes, but for those that pollDue() takes from among
   *     the others: all of `waiting` came before all of `arrived`; each once. [GlobalQueueTest,
   *     GlobalQueueStress; mutant: FifoWithoutLock]
   * I2. After a push, isEmpty() is false until a consumer has the task in its hands: a worker that
   *     goes to sleep looks at it. During a turn both lists are empty for a moment; `reversing`
   *     covers that. [GlobalQueueTest, ParkingStress, GlobalQueueStress; mutant: SilentTurn]
   *
   * Cost. A CAS a push, a lock a poll; workers take up to 17 tasks with one. Nothing is allocated.
   *
   * Rejected. ConcurrentLinkedQueue: a node for each task. A ring of claimed slots: a consumer
   * waits for a producer that was descheduled (trap-39). One lock for both ends: producers are
   * foreign threads, which must not wait (trap-38).
   *
   * Sources. P3, P4.
   */
  private static final VarHandle ARRIVED;

  static {
    try {
      ARRIVED = MethodHandles.lookup().findVarHandle(GlobalQueue.class, "arrived", Task.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();

  // any thread, CAS; consumers exchange
  @SuppressWarnings("unused") // through ARRIVED
  private volatile @Nullable Task arrived;

  // written under the lock, read by any thread
  private volatile @Nullable Task waiting;
  private volatile boolean reversing;

  /// An empty queue.
  public GlobalQueue() {}

  /// Puts a READY task at the tail.
  public void push(Task task) {
    Task seen;
    do {
      seen = arrived;
      task.next = seen;
    } while (!ARRIVED.compareAndSet(this, seen, task));
  }

  /// Takes the task at the head, or null when there is none.
  public @Nullable Task poll() {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      return next();
    } finally {
      lock.unlock();
    }
  }

  /// Takes the first task in line that is due, or null when there is none; the others stay where
  /// they are.
  @Nullable Task pollDue() {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      Task before = null;
      Task task = waiting;
      while (task != null || (task = append(before)) != null) {
        if (task.isResumable()) {
          unlink(before, task);
          return task;
        }
        before = task;
        task = task.next;
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /// Puts what has arrived behind the last one that waits.
  private @Nullable Task append(@Nullable Task last) {
    Task more = reverseArrivals();
    if (more != null) {
      link(last, more);
      reversing = false;
    }
    return more;
  }

  private void unlink(@Nullable Task before, Task task) {
    link(before, task.next);
    task.next = null;
  }

  private void link(@Nullable Task before, @Nullable Task next) {
    if (before == null) {
      waiting = next;
    } else {
      before.next = next;
    }
  }

  /// Takes the task at the head, and up to `more` behind it into a worker's own deque, such that
  /// its owner pops them in order.
  ///
  /// @return the first task, or null when there is none
  @Nullable Task pollInto(WorkDeque<Task> own, int more) {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      Task first = next();
      if (first != null && waiting != null && own.reserve(more)) { // else they wait on here
        moveInto(own, more);
      }
      return first;
    } finally {
      lock.unlock();
    }
  }

  private void moveInto(WorkDeque<Task> own, int more) {
    Task newest = null;
    Task task;
    for (int left = more; left > 0 && (task = next()) != null; left--) {
      task.next = newest;
      newest = task;
    }
    while (newest != null) {
      task = newest;
      newest = task.next;
      task.next = null;
      own.push(task);
    }
  }

  private @Nullable Task next() {
    Task head = waiting;
    if (head == null) {
      head = reverseArrivals();
      if (head == null) {
        return null;
      }
    }
    waiting = head.next;
    head.next = null;
    reversing = false;
    return head;
  }

  /// All that has arrived, oldest first.
  private @Nullable Task reverseArrivals() {
    if (arrived == null) {
      return null;
    }
    reversing = true;
    Task oldest = null;
    for (Task task = (Task) ARRIVED.getAndSet(this, null); task != null; ) {
      Task newer = task;
      task = task.next;
      newer.next = oldest;
      oldest = newer;
    }
    return oldest;
  }

  /// Whether there is nothing to take.
  public boolean isEmpty() {
    // in this order: who has missed the arrivals sees the turn, who has missed the turn what came
    // of it
    return arrived == null && !reversing && waiting == null;
  }
}
