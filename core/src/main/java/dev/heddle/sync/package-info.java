// SPDX-License-Identifier: Apache-2.0

/// What coroutines of one loop share and take turns with.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | waits in line, to their wakers |
///
/// Threads: the loop on which each of them was made. Read `Mutex` first.
package dev.heddle.sync;
