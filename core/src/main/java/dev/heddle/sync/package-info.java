// SPDX-License-Identifier: Apache-2.0

/// Synchronisation between the coroutines of one loop.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | queued waits, to their wakers |
///
/// Threads: the loop on which each object was created. Read `Mutex` first.
package dev.heddle.sync;
