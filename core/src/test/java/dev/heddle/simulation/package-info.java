// SPDX-License-Identifier: Apache-2.0

/// Loops in a world that a seed decides, for tests of the runtime itself.
///
/// | enters | leaves |
/// |---|---|
/// | a program and a seed | its outcome, and a fingerprint of the course it took |
///
/// Threads: the one that runs it. Read `Simulation` first.
@org.jspecify.annotations.NullMarked
package dev.heddle.simulation;
