// SPDX-License-Identifier: Apache-2.0

/// Other threads for the coroutines of a loop: computations on worker threads, and values that any
/// thread supplies.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | calls, to worker threads |
/// | values, from any thread | futures, to coroutines |
///
/// Threads: the loop's, unless stated otherwise. Read `ThreadPool` first.
package dev.heddle.thread;
