// SPDX-License-Identifier: Apache-2.0

/// Children that Heddle starts itself, on Linux: no thread of the JDK's waits for each of them.
///
/// | enters | leaves |
/// |---|---|
/// | what to start, from `Command` | the number of a process, and those of its pipes |
///
/// Threads: starting waits for about a millisecond, beside the loop. Read `PosixSpawn` first, then
/// `SpawnedProcess`.
package dev.heddle.os.spawn;
