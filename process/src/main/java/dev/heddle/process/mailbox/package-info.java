// SPDX-License-Identifier: Apache-2.0

/// The mailbox of a process, and how a step or a body gets what is in it.
///
/// | enters | leaves |
/// |---|---|
/// | messages, results and signals, from their senders | events, to steps; messages, to bodies |
///
/// Threads: a sender creates an envelope; the worker that steps the process reads it. The queue
/// itself is `scheduler.EventQueue`. Read `Envelope` first, then `EventBatch`; `SenderQueue` for
/// full mailboxes.
package dev.heddle.process.mailbox;
