// SPDX-License-Identifier: Apache-2.0

/// What loops and process runtimes count, as meters of Micrometer.
///
/// | enters | leaves |
/// |---|---|
/// | counts, as loops and workers publish them | meters, in the registry of the program |
///
/// Threads: any; a reading takes place on the thread that reads the registry, and waits for nobody.
/// Read `LoopMetrics` first, then `BoundMeters`.
package dev.heddle.metrics;
