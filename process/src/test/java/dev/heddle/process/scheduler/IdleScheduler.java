// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// A scheduler that runs nothing, for tests of what is created with one.
public final class IdleScheduler {
  private IdleScheduler() {}

  /// It has no threads.
  public static WorkScheduler create() {
    return WorkerThread.newScheduler("idle", 1);
  }
}
