// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Is told of a run that lasts too long, once for each, on a thread for that.
public interface LongStepHandler {
  /// A task has held its worker for `nanos`; `stack` is where it is now.
  void longStep(Task task, Worker worker, long nanos, StackTraceElement[] stack);

  /// Something like a second has passed. Must not throw.
  default void secondPassed() {}
}
