// SPDX-License-Identifier: Apache-2.0

/// Resolves names on the loop, by Netty's DNS queries.
///
/// | enters | leaves |
/// |---|---|
/// | names, from coroutines; the system's files | queries, to name servers, on the event loop |
///
/// Threads: the carrier. Read `LoopDnsResolver`.
package dev.heddle.netty.dns;
