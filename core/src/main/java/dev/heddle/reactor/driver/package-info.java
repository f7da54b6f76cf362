// SPDX-License-Identifier: Apache-2.0

/// What a driver is to the reactor: descriptors that never wait, operations that tell when they are
/// ready, one tick.
///
/// | enters | leaves |
/// |---|---|
/// | what handles open and submit | answers, on the carrier |
///
/// Threads: see `ReactorDriver`, which is also where to begin. Nothing here is of any driver's own
/// kind: modules bring theirs as a `DriverProvider`.
package dev.heddle.reactor.driver;
