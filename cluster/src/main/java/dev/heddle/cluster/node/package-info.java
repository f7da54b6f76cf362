// SPDX-License-Identifier: Apache-2.0
/// A node of a cluster: it joins the engine, the sessions and the peers, on threads of its own.
///
/// | enters | leaves |
/// |---|---|
/// | what the engine finds and receives; frames of peers; the time | packets to the engine |
/// | | frames to peers, in order; nodes as they come and go |
///
/// Threads: `Connections` has none, `ClusterNode` has two. Read `Connections`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.node;
