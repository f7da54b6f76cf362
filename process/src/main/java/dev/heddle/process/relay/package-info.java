// SPDX-License-Identifier: Apache-2.0
/// How messages find their address: a process, a mailbox of a coroutine, or a way to elsewhere.
///
/// | enters | leaves |
/// |---|---|
/// | messages and addresses, from senders | messages, to receivers and peers |
///
/// Threads: any; nothing here waits, except a coroutine for its mailbox. Read `Routes`.
package dev.heddle.process.relay;
