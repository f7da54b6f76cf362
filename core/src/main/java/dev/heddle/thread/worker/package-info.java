// SPDX-License-Identifier: Apache-2.0

/// The worker threads of a loop: started when needed, ended when idle, and at the end of the loop.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | their outcomes, through the loop's inbox |
///
/// Threads: calls are submitted and counted on the loop, and run on the workers. Read
/// `WorkerThreads` first.
package dev.heddle.thread.worker;
