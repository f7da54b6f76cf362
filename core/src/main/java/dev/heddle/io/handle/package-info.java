// SPDX-License-Identifier: Apache-2.0

/// Implements handles: a read lock, a write lock, and a descriptor of the driver behind them.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | tries, to descriptors; waits for readiness, to the reactor |
///
/// Threads: the loop that opened the handle. Read `Handle` first, then `StreamHandle`.
package dev.heddle.io.handle;
