// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import java.util.ArrayDeque;

/// The queue of carrier tasks: pieces of the runtime's own work that run with no coroutine mounted.
/// See [Scheduler#runOnCarrier].
final class CarrierTasks {
  private final SchedulerOwner owner;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  CarrierTasks(SchedulerOwner owner) {
    this.owner = owner;
  }

  void add(Runnable task) {
    tasks.add(task);
  }

  /// Runs all of them, those that are added meanwhile, too.
  void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        task.run();
      } catch (Throwable e) {
        // safe: reported; the tasks behind it may interrupt, close a descriptor or end the loop
        owner.carrierTaskFailed(e);
      }
    }
  }
}
