// SPDX-License-Identifier: Apache-2.0
/// Routes an address to a process, to the mailbox of a coroutine, or to a peer.
///
/// | enters | leaves |
/// |---|---|
/// | messages and addresses, from senders | messages, to receivers and peers |
///
/// Threads: any; nothing here waits. Read `RoutingTable`.
package dev.heddle.process.routing;
