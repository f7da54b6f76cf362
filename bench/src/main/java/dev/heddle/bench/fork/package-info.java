// SPDX-License-Identifier: Apache-2.0
/// A contender's own process: the side that runs in it and the side that tells it what to do.
///
/// | enters | leaves |
/// |---|---|
/// | cases and round sizes from the driver | [dev.heddle.bench.measure.Sample] to the driver |
///
/// Threads: one order at a time. Read [dev.heddle.bench.fork.ContenderProcess], then
/// [dev.heddle.bench.fork.ForkMain] and `ServerProcess`.
@NullMarked
package dev.heddle.bench.fork;

import org.jspecify.annotations.NullMarked;
