// SPDX-License-Identifier: Apache-2.0
/// Heddle's own parts under simulation: programs that use them, and what must hold of each.
///
/// | enters | leaves |
/// |---|---|
/// | [dev.heddle.simulated.program.Threads], to start threads | programs, to the explorer in `dev.heddle.simulated` |
///
/// The programs draw all chance from `new Random()`, which the agent seeds. Each run makes its own
/// objects. Threads are preempted inside Heddle where the JVM was started with points there; the
/// programs themselves have none. Read [OwnParts] first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulated.own;
