// SPDX-License-Identifier: Apache-2.0

/// The life of a loop: its parts, its run, its shutdown, and what the process and the JVM's exit
/// have to do with it.
///
/// | enters | leaves |
/// |---|---|
/// | `run`, from the front door | the main coroutine, to the tree; its outcome, to the caller |
/// | spawns and requests to stop, from other threads | coroutines, to the tree |
/// | calls of `TreeHost` and `SchedulerOwner` | failures that no code gets, to the log |
/// | signals, the JVM's exit | |
///
/// Arrows point from `LoopRuntime` to all others, and from none of them back.
///
/// Threads: the loop's, unless a class says otherwise. Read `LoopRuntime` first, then
/// `LoopShutdown` and `Closers`; for signals and the JVM's exit `LoopEnd`, `SignalDispatcher`,
/// `JvmExit`, `HaltTimer`.
package dev.heddle.loop;
