// SPDX-License-Identifier: Apache-2.0

/// The driver over Netty's selector: for Netty's pipelines on a loop where io_uring, epoll and
/// kqueue are not to be had.
///
/// | enters | leaves |
/// |---|---|
/// | the JDK's channels, as descriptors of the core's | readiness, by level |
///
/// Threads: see [dev.heddle.reactor.driver.ReactorDriver]. Read first: `NioDriver`.
package dev.heddle.netty.nio;
