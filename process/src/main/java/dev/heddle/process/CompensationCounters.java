// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What the threads have done that run bodies beside workers which are held up, as of a moment ago.
///
/// @param running how many there are now
/// @param started how many there were
/// @param executed runs of processes
/// @since 0.1
public record CompensationCounters(int running, long started, long executed) {}
