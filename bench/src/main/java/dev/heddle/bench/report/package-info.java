// SPDX-License-Identifier: Apache-2.0
/// How a run is written down: JSON for programs, a page with charts for people.
///
/// | enters | leaves |
/// |---|---|
/// | [dev.heddle.bench.result.ShapeResult] from the driver | text and files |
///
/// Threads: the driver's. Read [dev.heddle.bench.report.ReportPage] first.
@NullMarked
package dev.heddle.bench.report;

import org.jspecify.annotations.NullMarked;
