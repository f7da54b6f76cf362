// SPDX-License-Identifier: Apache-2.0

/// The time of a simulation, and whose turn it is.
///
/// | enters | leaves |
/// |---|---|
/// | actions with a time, from the simulated world | the actions, when their time has come |
/// | sleeps of drivers, from their loops | turns, to one loop at a time |
///
/// Threads: the carriers of the loops, one at a time. Read first: `Turns`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.time;
