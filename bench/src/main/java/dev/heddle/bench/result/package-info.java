// SPDX-License-Identifier: Apache-2.0
/// What a run found: samples by case and contender, medians, spreads, paired ratios, lines.
///
/// | enters | leaves |
/// |---|---|
/// | [dev.heddle.bench.measure.Sample] from the driver | [dev.heddle.bench.result.Line] to the terminal, to JSON, to the report |
///
/// Threads: values only. Read [dev.heddle.bench.result.ShapeResult] first.
@NullMarked
package dev.heddle.bench.result;

import org.jspecify.annotations.NullMarked;
