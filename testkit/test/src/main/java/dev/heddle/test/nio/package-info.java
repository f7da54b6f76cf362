// SPDX-License-Identifier: Apache-2.0

/// The sockets, channels and selectors of the JDK, on the host of a simulation.
///
/// | enters | leaves |
/// |---|---|
/// | `java.net` and `java.nio` calls of programs, by the agent | calls of descriptors, to the driver |
/// | readiness, from the driver's polls | wake-ups of threads that wait in the JDK |
///
/// Threads: those of one run, one at a time. Read first: `Waits`, then `SimulatedSelector`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.nio;
