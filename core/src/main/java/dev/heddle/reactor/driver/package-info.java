// SPDX-License-Identifier: Apache-2.0

/// What a driver is to the reactor: descriptors that never wait and notify listeners when they are
/// ready, operations on files, one tick.
///
/// | enters | leaves |
/// |---|---|
/// | what handles open, listeners that they arm | readiness and completions, on the carrier |
///
/// Threads: see `ReactorDriver`, which is also where to begin. Nothing here is of any driver's own
/// kind: Heddle's modules bring theirs as a `DriverProvider`.
package dev.heddle.reactor.driver;
