// SPDX-License-Identifier: Apache-2.0

/// Who runs next: the trampoline, the tick, the ready queue, and the waker that links a coroutine
/// to what it waits for.
///
/// | enters | leaves |
/// |---|---|
/// | coroutines to start, from scopes | mounts, to execution contexts |
/// | waits, from every call that suspends | looks and sleeps, to the reactor |
/// | arrivals, from the inbox | the verdict that nothing can go on, to the tree |
///
/// Threads: the carrier and the coroutine mounted on it. Read `Scheduler` first, then `Waker`.
package dev.heddle.scheduler;
