// SPDX-License-Identifier: Apache-2.0

/// The files of a simulation, as tests see them.
///
/// | enters | leaves |
/// |---|---|
/// | faults, a full disk, crashes, from the test | paths, which calls of files take |
///
/// Threads: coroutines of the simulation. Read first: `SimulatedFiles`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.file;
