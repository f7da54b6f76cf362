// SPDX-License-Identifier: Apache-2.0

/// Runs Netty pipelines on a Heddle loop, and lets coroutines await Netty futures.
///
/// | enters | leaves |
/// |---|---|
/// | channels and tasks, from Netty's bootstraps and handlers | turns of the event loop |
/// | Netty futures, from coroutines | their outcomes |
///
/// Threads: handlers and tasks run between coroutines, on the loop's thread. Read first:
/// `HeddleEventLoop`.
package dev.heddle.netty;
