// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// The counts of the compensating workers, which run bodies while workers are held up, as of a
/// moment ago.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=counters}
///
/// @param running how many run now
/// @param started how many were started
/// @param executed the runs of processes on them
/// @since 0.1
public record CompensationCounters(int running, long started, long executed) {}
