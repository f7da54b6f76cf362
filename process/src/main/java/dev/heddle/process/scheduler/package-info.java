// SPDX-License-Identifier: Apache-2.0

/// Runs tasks on all cores: who is next, who steals, who sleeps.
///
/// | enters | leaves |
/// |---|---|
/// | tasks that are READY, from whoever woke them | their steps, one at a time, on some worker |
///
/// Threads: anybody wakes tasks; each worker owns one deque. Knows nothing of processes. Read
/// `Task`, then `WorkDeque` and `Parking`.
package dev.heddle.process.scheduler;
