// SPDX-License-Identifier: Apache-2.0

/// The work-stealing scheduler: runs tasks on all cores, steals them, and parks idle workers.
///
/// | enters | leaves |
/// |---|---|
/// | READY tasks, from the threads that wake them | their steps, one at a time, on some worker |
///
/// Threads: any thread wakes tasks; each worker owns one deque. Knows nothing of processes. Read
/// `Task`, then `WorkDeque` and `Parking`; `WorkerPool` has the threads.
package dev.heddle.process.scheduler;
