// SPDX-License-Identifier: Apache-2.0

/// Several programs in one simulation, each on a host of its own, which can crash.
///
/// | enters | leaves |
/// |---|---|
/// | programs, each for a host | loops, which run in turns, by the schedule of the simulation |
/// | crashes and restarts | hosts without power, programs from their beginning |
///
/// Threads: coroutines of the simulation. Read first: `Node`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.node;
