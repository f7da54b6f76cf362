// SPDX-License-Identifier: Apache-2.0

/// Descriptors over JDK channels, and the driver that needs nothing but the JDK: a selector, or a
/// parked thread while there are no channels. Other modules poll the same channels in other ways.
///
/// | enters | leaves |
/// |---|---|
/// | registrations and deadlines, from the reactor | notifications, on the carrier |
///
/// Threads: see [dev.heddle.reactor.driver.ReactorDriver]. Read first: `ChannelDriver`.
package dev.heddle.reactor.jdk;
