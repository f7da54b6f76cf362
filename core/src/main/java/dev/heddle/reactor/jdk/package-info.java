// SPDX-License-Identifier: Apache-2.0

/// The JDK's channels as descriptors, and the driver that needs nothing but the JDK: a selector for
/// them, a parked thread until there are any. Other modules bring other ways to be told of them.
///
/// | enters | leaves |
/// |---|---|
/// | operations and deadlines, from the reactor | answers, on the carrier |
///
/// Threads: see [dev.heddle.reactor.driver.ReactorDriver]. Read first: `ChannelDriver`.
package dev.heddle.reactor.jdk;
