// SPDX-License-Identifier: Apache-2.0

/// What lies beside the loop, for its coroutines: computations on other threads, and values that
/// other threads bring.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | calls, to worker threads |
/// | values, from any thread | futures, to coroutines |
///
/// Threads: the loop's, but for what says otherwise. Read `ThreadPool` first.
package dev.heddle.thread;
