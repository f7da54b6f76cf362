// SPDX-License-Identifier: Apache-2.0

/// Channels, locks, limits, pools and retries for the coroutines of one loop.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | queued waits, to their wakers |
///
/// How each is made: `of` makes what has a capacity, a rate or a first value (`Channel`,
/// `Broadcast`, `Latest`, `RateLimiter`). A constructor makes locks and counts (`Mutex`,
/// `Semaphore`, `CountDown`). `open` makes what owns resources, to be closed (`Pool`). `create` and
/// `with` begin what further calls complete (`Select`, `Retry`).
///
/// Threads: the loop on which each object was created. Read `Channel` first.
package dev.heddle.sync;
