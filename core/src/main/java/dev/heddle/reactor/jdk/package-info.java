// SPDX-License-Identifier: Apache-2.0

/// The driver that needs nothing but the JDK: a selector for channels, a parked thread until there
/// are any.
///
/// | enters | leaves |
/// |---|---|
/// | operations and deadlines, from the reactor | answers, on the carrier |
///
/// Threads: see [dev.heddle.reactor.driver.ReactorDriver]. One class: `JdkDriver`.
package dev.heddle.reactor.jdk;
