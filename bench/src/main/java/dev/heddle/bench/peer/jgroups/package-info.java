// SPDX-License-Identifier: Apache-2.0
/// The bare engine of a cluster: JGroups' unicast messages between two JVMs, nothing above them.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: those of JGroups, and of the program's senders. Read
/// [dev.heddle.bench.peer.jgroups.JGroupsNode] first.
@NullMarked
package dev.heddle.bench.peer.jgroups;

import org.jspecify.annotations.NullMarked;
