// SPDX-License-Identifier: Apache-2.0

/// The inbox of a loop: other threads post to the carrier through it, and wake it.
///
/// | enters | leaves |
/// |---|---|
/// | nodes, from any thread | arrivals, to the carrier |
/// | the sleep protocol, from the scheduler | one wake-up call per sleep, to the driver |
///
/// Threads: [dev.heddle.scheduler.inbox.Inbox#post] and [dev.heddle.scheduler.inbox.Wakeup#signal]
/// from any thread, the rest on the carrier. Read `Inbox` first, then `Wakeup`.
package dev.heddle.scheduler.inbox;
