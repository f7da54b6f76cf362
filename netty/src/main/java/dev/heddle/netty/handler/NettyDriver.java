// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;

/// A driver over a Netty I/O handler, which can also serve Netty's own channels.
public interface NettyDriver extends ReactorDriver, EmbeddedHandles.Host {
  /// The channel types of its handler.
  ChannelTypes channelTypes();

  @Override
  default boolean hasEmbeddedEventLoop() {
    return handler().hasEmbeddedEventLoop();
  }
}
