// SPDX-License-Identifier: Apache-2.0

/// Read-only views: what a loop has counted, and what this platform can do.
///
/// | enters | leaves |
/// |---|---|
/// | values, from the packages that count | records, to users, tests, benches and the command line |
///
/// Threads: records are immutable. Read `LoopCounters` or `PlatformReport`.
package dev.heddle.observe;
