// SPDX-License-Identifier: Apache-2.0

/// Input and output as coroutine calls: handles that read, write and close, listeners that accept.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | waits for readiness, to the reactor |
/// | | work on files and what else blocks, to the driver or to threads beside the loop |
///
/// Threads: the loop that opened the handle. Read `AsyncIo` first, then `Tcp`.
package dev.heddle.io;
