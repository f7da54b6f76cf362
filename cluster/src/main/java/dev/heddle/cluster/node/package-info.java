// SPDX-License-Identifier: Apache-2.0
/// A node: the threads that join the engine, the sessions and the processes of other nodes.
///
/// | enters | leaves |
/// |---|---|
/// | packets and rumours of the engine; frames of the peers | packets; frames; news of nodes |
///
/// Threads: one for time and greetings, one that sends; packets are delivered on the engine's. Read
/// `Connections`, then `ClusterNode`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.node;
