// SPDX-License-Identifier: Apache-2.0
/// Singletons: processes of which the whole cluster runs one, at a node that their name chooses.
///
/// | enters | leaves |
/// |---|---|
/// | declarations and offers, from the roster | what this node can run, to the log |
/// | ownerships of names, and their tokens | registrations of names |
/// | ends of processes | starts of processes, and requests to end them |
///
/// Threads: `Singletons` is for the agent of the node alone, has no clock and starts no process: a
/// `SingletonPort` does. `NodeSingletons` is the port of a running node. Read `Singletons`.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.singleton;
