// SPDX-License-Identifier: Apache-2.0

/// Simulations for tests: a program in virtual time, under schedules that seeds decide.
///
/// | enters | leaves |
/// |---|---|
/// | a main coroutine, from a test; options | results of runs; the first failure, shrunk |
///
/// Threads: that of the test, which waits; each run has a carrier of its own. Read `Simulation`.
@NullMarked
package dev.heddle.test;

import org.jspecify.annotations.NullMarked;
