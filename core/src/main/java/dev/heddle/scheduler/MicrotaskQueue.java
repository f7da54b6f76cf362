// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.function.Consumer;

/// The microtasks of a loop, queued for its next tick.
final class MicrotaskQueue {
  private static final int BUDGET = 1_024; // a tick; some tasks post themselves

  private final RingBuffer tasks = new RingBuffer(64);
  private final Consumer<Throwable> failed;

  /// An empty queue.
  ///
  /// @param failed called with what a task throws
  MicrotaskQueue(Consumer<Throwable> failed) {
    this.failed = failed;
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  void add(Microtask task) {
    task.retain();
    tasks.add(task);
  }

  /// Runs the queued tasks, within the budget, until one throws.
  void run() {
    for (int budget = BUDGET; budget > 0; budget--) {
      if (!(tasks.poll() instanceof Microtask task)) {
        return;
      }
      try {
        task.execute();
      } catch (RuntimeException | Error e) {
        failed.accept(e);
        return;
      }
    }
  }

  /// Releases the tasks that will not run, because the loop has ended.
  void close() {
    while (tasks.poll() instanceof Microtask task) {
      try {
        task.release();
      } catch (RuntimeException | Error e) {
        // safe: reported; the other tasks must be released, too
        failed.accept(e);
      }
    }
  }
}
