// SPDX-License-Identifier: Apache-2.0

/// For modules that bring another library's event loop onto a loop: the driver it lives on, and the
/// coroutines it runs in.
///
/// | enters | leaves |
/// |---|---|
/// | an event loop that has work, from the trampoline or a coroutine | a coroutine of its own, to the scheduler |
///
/// Threads: the loop's. Read `EventLoopTurns`.
package dev.heddle.eventloop;
