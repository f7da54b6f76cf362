// SPDX-License-Identifier: Apache-2.0
/// What was measured, round by round: beside which load, which rounds count, and the files that
/// keep them, so that a run that was interrupted goes on.
///
/// | enters | leaves |
/// |---|---|
/// | [dev.heddle.bench.rounds.Round] from the driver | [dev.heddle.bench.result.ShapeResult] to the terminal and the report |
///
/// Threads: the driver's. Read [dev.heddle.bench.rounds.RoundLog], then
/// [dev.heddle.bench.rounds.Choice].
@NullMarked
package dev.heddle.bench.rounds;

import org.jspecify.annotations.NullMarked;
