// SPDX-License-Identifier: Apache-2.0
/// How a program is measured: the clock, the sample, the interface of what is measured.
///
/// | enters | leaves |
/// |---|---|
/// | programs of `peer` and `ours` start and stop a [dev.heddle.bench.measure.Meter] | [dev.heddle.bench.measure.Sample] to `fork` |
///
/// Threads: any; a meter belongs to one round. Read [dev.heddle.bench.measure.Program] first.
@NullMarked
package dev.heddle.bench.measure;

import org.jspecify.annotations.NullMarked;
