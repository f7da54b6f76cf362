// SPDX-License-Identifier: Apache-2.0

/// What a runtime needs of a simulation in which it runs, and what the simulation learns of it.
///
/// | enters | leaves |
/// |---|---|
/// | the clock, the choices and the order of a simulation, from `dev.heddle.test` | ready processes and timers of a runtime, to the simulation |
/// | messages, from the mailboxes | what has changed in them since they were sent |
///
/// Threads: the carrier of the simulation, unless a method says otherwise. Not part of the public
/// API: exported to `dev.heddle.test` only. Read `ProcessWorld` first; the classes named
/// `Simulated…` of the other packages are what a runtime is made of in a simulation.
package dev.heddle.process.simulation;
