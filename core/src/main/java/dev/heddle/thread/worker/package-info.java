// SPDX-License-Identifier: Apache-2.0

/// The threads beside a loop: made when they are needed, gone when they are idle, ended with it.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | their outcomes, through the loop's inbox |
///
/// Threads: submitted and counted on the loop, run elsewhere. Read `WorkerThreads` first.
package dev.heddle.thread.worker;
