// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// The microtasks of a loop that wait for the next tick.
final class MicrotaskQueue {
  private static final int BUDGET =
      1_024; // a tick; keeps one that feeds itself from starving the rest

  private final Ring tasks = new Ring(64);
  private final SchedulerOwner owner;

  MicrotaskQueue(SchedulerOwner owner) {
    this.owner = owner;
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  void add(Microtask task) {
    task.retain();
    tasks.add(task);
  }

  /// Runs what is queued, within the budget, until one throws.
  void run() {
    for (int budget = BUDGET; budget > 0; budget--) {
      if (!(tasks.poll() instanceof Microtask task)) {
        return;
      }
      try {
        task.execute();
      } catch (RuntimeException | Error e) {
        owner.failed(e);
        return;
      }
    }
  }

  /// Releases those that will not run: the loop has ended.
  void close() {
    while (tasks.poll() instanceof Microtask task) {
      try {
        task.release();
      } catch (RuntimeException | Error e) {
        // the rest is released all the same
        owner.failed(e);
      }
    }
  }
}
