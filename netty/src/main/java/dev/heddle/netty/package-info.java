// SPDX-License-Identifier: Apache-2.0

/// Netty on a loop of Heddle's: its pipelines beside coroutines, its futures awaited by them.
///
/// | enters | leaves |
/// |---|---|
/// | channels and tasks, from Netty's bootstraps and handlers | turns of theirs, on the driver's handler |
/// | futures of Netty's, from coroutines | their outcomes |
///
/// Threads: handlers and tasks run between coroutines, on the loop's thread. Read first:
/// `HeddleEventLoop`.
package dev.heddle.netty;
