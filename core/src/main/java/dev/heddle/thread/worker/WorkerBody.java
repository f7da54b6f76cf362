// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

/// What a worker thread does from its start to its end.
@FunctionalInterface
public interface WorkerBody {
  /// Runs calls until there are no more. Each call that it takes must end: [OffloadedCall#run()] or
  /// [OffloadedCall#refuse]. **Thread** the worker.
  void run(WorkerThreads.Calls calls);
}
