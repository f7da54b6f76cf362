// SPDX-License-Identifier: Apache-2.0
/// What a majority of the voters has agreed on: which nodes hold a lease, and who owns which name.
///
/// | enters | leaves |
/// |---|---|
/// | commands from the log, in its order | outcomes; deltas for nodes that hold no log; snapshots |
/// | times of renewals and their answers | whether this node may act; which nodes are lost |
/// | the directory of a node | that earlier lives of the node have ended |
///
/// Threads: the state machines (`Roster`, `Lease`, `LeaseExpiry`) are for one thread at a time, and
/// none has a clock: times are arguments, in nanoseconds of any monotonic clock. The log itself is
/// behind `NameStore`, which any thread may call; module `dev.heddle.cluster.ratis` implements it.
/// Read `Roster`, then `Lease`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.roster;
