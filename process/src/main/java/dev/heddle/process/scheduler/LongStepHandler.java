// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Called once for each run that lasts too long, on the thread for reports.
public interface LongStepHandler {
  /// Called when a task has held its worker for `nanos`, with its present stack.
  void longStep(Task task, Thread worker, long nanos, StackTraceElement[] stack);

  /// Called about once a second. Must not throw.
  default void secondPassed() {}
}
