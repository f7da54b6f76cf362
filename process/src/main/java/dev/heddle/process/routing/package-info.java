// SPDX-License-Identifier: Apache-2.0
/// Where an address leads: to a process, to a mailbox of a coroutine, or elsewhere.
///
/// | enters | leaves |
/// |---|---|
/// | messages and addresses, from senders | messages, to receivers and peers |
///
/// Threads: any; nothing here waits. Read `RoutingTable`.
package dev.heddle.process.routing;
