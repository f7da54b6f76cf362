// SPDX-License-Identifier: Apache-2.0
/// The log of the voters of a cluster, by Apache Ratis over the sessions of their nodes.
///
/// | enters | leaves |
/// |---|---|
/// | commands of this node, as `NameStore` has them | their outcomes |
/// | packets of other voters | packets for them: calls of Raft, and the status of this voter |
/// | entries that a majority has | deltas and snapshots for the listener |
///
/// Threads: one of the store (`heddle-voter-NODE`), a pool for calls (`heddle-raft-NODE-N`), and
/// those of Ratis. None of them is a worker or a loop. Read `RatisNameStore`, then `Formation`.
///
/// All of this is in one jar with Ratis, whose packages have other names there: its jars share
/// packages, which a module path does not allow. It is loaded only when voters are named.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.ratis;
