// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;

/// What a runtime has counted since its start, as of a moment ago.
///
/// @param processes that live
/// @param started that were started
/// @param executed runs of processes, of all workers and spares; a run is some steps without a
///   break
/// @param undelivered messages and signals that lay in mailboxes when their processes ended
/// @param lateResults answers to commands that came for nobody
/// @param longSteps steps that have held a worker for too long
/// @param queueDelay how long processes that were ready have waited for a worker
/// @param deadlocks of processes that were reported
/// @param compensation what ran beside the workers while these were held up
/// @param workers each of them, in the order of their numbers
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
