// SPDX-License-Identifier: Apache-2.0
/// Heddle's programs of processes, written as a user would write them: the public API and nothing
/// below it.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: a runtime for each program, which lives between its rounds. Read
/// [dev.heddle.bench.ours.process.Pairs] first.
@NullMarked
package dev.heddle.bench.ours.process;

import org.jspecify.annotations.NullMarked;
