// SPDX-License-Identifier: Apache-2.0
/// The side-by-side bench: `heddle bench`.
///
/// | enters | leaves |
/// |---|---|
/// | names of shapes from the command line | lines on standard output, a JSON file, `docs/reference/benchmarks.md` |
///
/// Threads: the driver's main thread. Read [dev.heddle.bench.BenchMain], then `Driver`.
@NullMarked
package dev.heddle.bench;

import org.jspecify.annotations.NullMarked;
