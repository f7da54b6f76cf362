// SPDX-License-Identifier: Apache-2.0

/// What handles are made of: one line of readers, one of writers, and a descriptor of the driver's
/// behind them.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | tries, to descriptors; waits for readiness, to the reactor |
///
/// Threads: the loop that opened the handle. Read `Handle` first, then `StreamHandle`.
package dev.heddle.io.handle;
