// SPDX-License-Identifier: Apache-2.0

/// Threads beside the loop, for work that would hold it.
///
/// | enters | leaves |
/// |---|---|
/// | calls that block or compute, from coroutines | their outcomes, through the loop's inbox |
///
/// Threads: submitted on the loop, run elsewhere. One class so far: `OffloadPool`.
package dev.heddle.thread;
