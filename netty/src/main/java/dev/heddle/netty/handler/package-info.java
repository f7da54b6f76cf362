// SPDX-License-Identifier: Apache-2.0

/// Netty's I/O handlers, driven by a loop's ticks.
///
/// | enters | leaves |
/// |---|---|
/// | turns and wake-ups, from the drivers | what has happened, to their handles |
///
/// Threads: turns on the carrier, wake-ups and tasks from any thread. One class:
/// `IoHandlerAdapter`.
package dev.heddle.netty.handler;
