// SPDX-License-Identifier: Apache-2.0

/// Input and output as coroutine calls: handles that read, write and close, listeners that accept.
///
/// | enters | leaves |
/// |---|---|
/// | calls, from coroutines | waits for readiness, to the reactor |
/// | | file operations and other blocking calls, to the driver or to worker threads |
///
/// Threads: the loop that opened the handle. Read `AsyncIo` first, then `Tcp`.
package dev.heddle.io;
