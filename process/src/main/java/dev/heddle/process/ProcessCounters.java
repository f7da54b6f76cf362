// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;

/// The counts of a runtime since its start, as of a moment ago.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=counters}
///
/// @param processes the processes that are alive
/// @param started the processes started
/// @param executed runs of processes, on all workers and compensating workers; a run is several
///   steps without a break
/// @param undelivered messages and signals left in mailboxes when their processes ended
/// @param lateResults command results that came when the process no longer waited for them
/// @param longSteps steps that held a worker for too long
/// @param queueDelay how long ready processes waited for a worker
/// @param deadlocks the deadlocks reported
/// @param compensation what compensating workers have done
/// @param workers the counters of each worker, in the order of their numbers
/// @since 0.1
public record ProcessCounters(
    int processes,
    long started,
    long executed,
    long undelivered,
    long lateResults,
    long longSteps,
    QueueDelay queueDelay,
    long deadlocks,
    CompensationCounters compensation,
    List<WorkerCounters> workers) {
  /// Copies the list.
  public ProcessCounters {
    workers = List.copyOf(workers);
  }
}
