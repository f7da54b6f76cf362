// SPDX-License-Identifier: Apache-2.0

/// For modules that embed another library's event loop in a loop: the driver that it runs on, and
/// the coroutines that it runs in.
///
/// | enters | leaves |
/// |---|---|
/// | an event loop with work, from the trampoline or a coroutine | its turn, to the scheduler |
///
/// Threads: the loop's. Read `EventLoopTurns`.
package dev.heddle.eventloop;
