// SPDX-License-Identifier: Apache-2.0

/// The life cycle of a loop: its parts, its run, its shutdown, signals, and the JVM's exit.
///
/// | enters | leaves |
/// |---|---|
/// | `run`, from the public API | the main coroutine, to the tree; its outcome, to the caller |
/// | spawns and requests to stop, from other threads | coroutines, to the tree |
/// | calls of `CoroutineTree.Host` and `SchedulerOwner` | unobserved failures, to the log |
/// | signals, the JVM's exit | |
///
/// Arrows point from `LoopRuntime` to its parts, and from none of them back. The executors stand
/// above it: they use it, and it does not know them.
///
/// Threads: the loop's, unless a class says otherwise. Read `LoopRuntime` first, then
/// `LoopShutdown` and `Closers`; for signals and the JVM's exit `LoopEnd`, `SignalDispatcher`,
/// `JvmExit`, `HaltTimer`; for executors `LoopExecutor`, `TaskRegistry`, `ExecutorTask`.
package dev.heddle.loop;
