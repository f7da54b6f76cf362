// SPDX-License-Identifier: Apache-2.0

/// Runs Netty's I/O handlers in a loop's polls.
///
/// | enters | leaves |
/// |---|---|
/// | turns and wake-ups, from the drivers | events, to their handles |
///
/// Threads: turns on the carrier, wake-ups and tasks from any thread. One class:
/// `IoHandlerAdapter`.
package dev.heddle.netty.handler;
