// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The tasks of an executor that have not ended, and whether it accepts more.
///
/// **Thread** any. It is not final so that a test can come between two steps of an executor.
class TaskRegistry<T> {
  /*
   * States.
   *   from               event            to          who
   *   OPEN               shutdown()       SHUTDOWN    any thread
   *   OPEN, SHUTDOWN     stop()           STOPPED     any thread
   *   SHUTDOWN, STOPPED  no task is left  TERMINATED  the thread that removes the last task, or
   *                                                   that has shut the registry down
   *
   * A submitter calls add(task), and then isOpen(). If that returns true, the task is accepted.
   * Otherwise the submitter takes the task back, and removes it.
   *
   * I1. terminated() does not complete while an accepted task is left.
   *     [TaskRegistryStress, TaskRegistryTest]
   * I2. After stop(), all() has every accepted task that was not removed. [TaskRegistryStress]
   *
   * Memory order. add() writes `left` and the set, then the submitter reads `state`. shutdown() and
   * stop() write `state`, then read `left` or the set. All of these are volatile accesses, so in
   * one total order: if the submitter has read OPEN, the other thread sees its task (Dekker).
   * Mutant: TaskRegistryStress.AsksTooSoon.
   *
   * The count. `left` grows before a task enters the set, and shrinks after the task has left it.
   * So it may be too large for a moment, but never too small. The count of the set itself may be
   * too small: ConcurrentHashMap links an entry first, and counts it afterwards. If another thread
   * removes the entry in between, the map has counted one entry less than it holds.
   *
   *   submitter   add(b): b is in the map .............................. the map counts b: 1
   *   stopper                   stop(), finds b, removes b: 1 - 1 = 0, "no task is left"
   *   loop        a runs ............................................................ a ends
   *
   * Mutant: TaskRegistryStress.CountsAfterwards.
   *
   * Cost. add() and remove(): an atomic increment, and an entry of a concurrent set, which locks a
   * bin of its table for that. Nothing waits inside, and no code of a user runs: tasks are compared
   * by their identity. all(): the size of the set's table.
   *
   * Rejected. A skip list, which takes no lock: the tasks would need an order, and each call a
   * search.
   */
  private static final int OPEN = 0;
  private static final int SHUTDOWN = 1;
  private static final int STOPPED = 2;

  // any thread
  private final AtomicInteger state = new AtomicInteger(OPEN);
  private final AtomicInteger left = new AtomicInteger(); // in the set, or about to be
  private final Set<T> tasks;
  private final CompletableFuture<Boolean> terminated = new CompletableFuture<>();

  TaskRegistry() {
    this(ConcurrentHashMap.newKeySet());
  }

  /// A registry that keeps its tasks in a given set, which threads may share.
  TaskRegistry(Set<T> tasks) {
    this.tasks = tasks;
  }

  boolean isOpen() {
    return state.get() == OPEN;
  }

  /// Adds a task. It is accepted if [#isOpen()] returns true afterwards.
  void add(T task) {
    left.incrementAndGet();
    tasks.add(task);
  }

  /// Removes a task that has ended, was taken back or refused.
  void remove(T task) {
    if (tasks.remove(task)) {
      left.decrementAndGet();
      terminateIfEmpty();
    }
  }

  /// Accepts no more tasks. The caller then calls [#terminateIfEmpty()].
  void shutdown() {
    state.compareAndSet(OPEN, SHUTDOWN);
  }

  /// Accepts no more tasks, and is to be emptied. The caller then calls [#terminateIfEmpty()].
  void stop() {
    state.set(STOPPED);
  }

  /// The tasks. Those that are added or removed meanwhile may or may not be among them.
  Iterable<T> all() {
    return tasks;
  }

  /// How many tasks there are, roughly.
  int size() {
    return left.get();
  }

  void terminateIfEmpty() {
    if (!isOpen() && left.get() == 0) {
      terminated.complete(true);
    }
  }

  /// Completes when it accepts no more tasks and none is left.
  CompletableFuture<Boolean> terminated() {
    return terminated;
  }
}
