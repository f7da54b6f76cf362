// SPDX-License-Identifier: Apache-2.0

/// The driver over Netty's selector, for Netty's pipelines where io_uring, epoll and kqueue are
/// unavailable.
///
/// | enters | leaves |
/// |---|---|
/// | JDK channels, as descriptors of the core | readiness, level-triggered |
///
/// Threads: see [dev.heddle.reactor.driver.ReactorDriver]. Read first: `NioDriver`.
package dev.heddle.netty.nio;
