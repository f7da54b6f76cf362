// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The run queue of all workers, a FIFO: tasks that other threads have woken, and tasks that have
/// used up their budget.
final class GlobalQueue extends CacheLinePadding {
  /*
   * Two lists, linked by the tasks themselves. Producers push tasks on `arrived`, newest first,
   * with a CAS. Consumers hold the lock. A consumer that finds `waiting` empty detaches all of
   * `arrived` with one exchange and reverses it.
   *
   * Threads. push(): any; never blocks. poll(), pollInto(), pollResumable(): any, under the lock.
   * It is held for some tens of nanoseconds; longer while arrivals are reversed, and while
   * pollResumable() visits each task, which happens only when no worker makes progress.
   *
   * I1. Tasks leave in the order of their pushes, except those that pollResumable() takes from the
   *     middle: all of `waiting` came before all of `arrived`. Each task leaves once.
   *     [GlobalQueueTest, GlobalQueueStress; mutant: FifoWithoutLock]
   * I2. After a push, isEmpty() is false until a consumer has the task in hand, because a worker
   *     that parks relies on it. While a consumer reverses arrivals, both lists are empty for a
   *     moment; `reversing` covers that. [GlobalQueueTest, ParkingStress, GlobalQueueStress;
   *     mutant: SilentTurn]
   *
   * Cost. A CAS for a push, a lock for a poll; workers take up to 17 tasks with one. Nothing is
   * allocated.
   *
   * Rejected. ConcurrentLinkedQueue: a node for each task. A ring of claimed slots: a consumer
   * waits for a producer that was descheduled (trap-39). One lock for both ends: producers are
   * foreign threads, which must not wait (trap-38).
   *
   * Sources. P3, P4.
   */
  private static final VarHandle ARRIVED = VarHandles.find(lookup(), "arrived", Task.class);

  private final ReentrantLock lock = new ReentrantLock();

  // any thread, CAS; consumers exchange
  @SuppressWarnings("unused") // through ARRIVED
  private volatile @Nullable Task arrived;

  // written under the lock, read by any thread
  private volatile @Nullable Task waiting;
  private volatile boolean reversing;

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

  /// Takes the first task whose fiber is resumable, or null when there is none; the others keep
  /// their places.
  @Nullable Task pollResumable() {
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

  /// Appends the arrivals to the waiting tasks.
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

  /// Takes the task at the head, and moves up to `more` behind it to a worker's own deque, such
  /// that the owner pops them in order.
  ///
  /// @return the first task, or null when there is none
  @Nullable Task pollInto(WorkDeque<Task> own, int more) {
    if (isEmpty()) {
      return null;
    }
    lock.lock();
    try {
      Task first = next();
      if (first != null && waiting != null && own.reserve(more)) { // otherwise they stay here
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

  /// Detaches all arrivals and returns them oldest first.
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

  public boolean isEmpty() {
    // In this order: a thread that reads `arrived` too late sees `reversing`, and one that reads
    // that too late sees `waiting`.
    return arrived == null && !reversing && waiting == null;
  }
}
