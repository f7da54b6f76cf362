// SPDX-License-Identifier: Apache-2.0

/// The network of a simulation, as tests see it.
///
/// | enters | leaves |
/// |---|---|
/// | faults, links and partitions, from the test | events, to observers |
///
/// Threads: coroutines of the simulation. Read first: `SimulatedNetwork`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.net;
