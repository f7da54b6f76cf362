// SPDX-License-Identifier: Apache-2.0

/// The scheduler: the trampoline, the tick, the ready queue, and the waker, which ties a coroutine
/// to the events it waits for.
///
/// | enters | leaves |
/// |---|---|
/// | coroutines to start, from scopes | mounts, to execution contexts |
/// | waits, from every call that suspends | polls and sleeps, to the reactor |
/// | arrivals, from the inbox | a detected deadlock, to the tree |
///
/// Threads: the carrier and the coroutine mounted on it. Read `Scheduler` first, then `Waker`.
package dev.heddle.scheduler;
