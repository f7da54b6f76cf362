// SPDX-License-Identifier: Apache-2.0

/// Native starts of child processes on Linux, without a waiting thread for each.
///
/// | enters | leaves |
/// |---|---|
/// | the program to start, from `Command` | the process id, and the descriptors of its pipes |
///
/// Threads: a start takes about a millisecond on a worker thread. Read `PosixSpawn` first, then
/// `SpawnedProcess`.
package dev.heddle.os.spawn;
