// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// The counts of one worker, as of a moment ago.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=counters}
///
/// @param number of the worker, from 0
/// @param executed runs of tasks
/// @param stolen tasks taken from other workers
/// @param parks how often it was parked
/// @param queued tasks in its deque
/// @param asleep whether it is parked
public record WorkerCounters(
    int number, long executed, long stolen, long parks, int queued, boolean asleep) {}
