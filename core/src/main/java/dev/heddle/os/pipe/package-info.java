// SPDX-License-Identifier: Apache-2.0

/// The loop's ends of the pipes to a child process.
///
/// | enters | leaves |
/// |---|---|
/// | reads and writes, from coroutines | blocking calls, to worker threads |
///
/// Threads: the loop's. Read `PipeSource` first, then `BlockingSource`.
package dev.heddle.os.pipe;
