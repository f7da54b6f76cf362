// SPDX-License-Identifier: Apache-2.0

/// Looks names up on the loop, over Netty's queries.
///
/// | enters | leaves |
/// |---|---|
/// | names, from coroutines; the system's files | questions, to name servers, by the loop's event loop |
///
/// Threads: the loop's. Read `LoopDnsResolver`.
package dev.heddle.netty.dns;
