// SPDX-License-Identifier: Apache-2.0
/// Engines: they find the nodes of a cluster and carry packets between them, without a promise.
///
/// | enters | leaves |
/// |---|---|
/// | packets to an address | packets from an address; addresses found; rumours of lost ones |
///
/// Threads: an engine may call its listener on any of its own threads, several at a time. Read
/// `Engine`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.engine;
