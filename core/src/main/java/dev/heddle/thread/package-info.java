// SPDX-License-Identifier: Apache-2.0

/// Other threads for the coroutines of a loop: computations on worker threads (`ThreadPool`),
/// values that any thread supplies (`RemotePromise`), and queues between loops and threads
/// (`ThreadChannel`).
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | calls, to worker threads |
/// | values, from any thread | futures, to coroutines |
/// | items, from coroutines and threads | items, to coroutines and threads |
///
/// Threads: the loop's, unless stated otherwise. Read `ThreadPool` first.
package dev.heddle.thread;
