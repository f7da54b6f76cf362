// SPDX-License-Identifier: Apache-2.0

/// The interface between the reactor and its drivers: non-blocking descriptors that notify
/// listeners of readiness, file operations, polls.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors that handles open, listeners that they arm | readiness and completions, on the carrier |
///
/// Threads: see `ReactorDriver`, which is also where to begin. Nothing here is specific to a
/// driver: modules contribute drivers as a `DriverProvider`.
package dev.heddle.reactor.driver;
