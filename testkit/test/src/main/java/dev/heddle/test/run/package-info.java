// SPDX-License-Identifier: Apache-2.0

/// One run of a loop in virtual time, on parts that a chooser and a clock of its own control.
///
/// | enters | leaves |
/// |---|---|
/// | a main coroutine, a chooser, limits | a record of the run: outcome, course, findings |
///
/// Threads: the caller of a run, which watches it; the carrier, which the run starts. Read
/// `SimulatedLoop`.
@NullMarked
package dev.heddle.test.run;

import org.jspecify.annotations.NullMarked;
