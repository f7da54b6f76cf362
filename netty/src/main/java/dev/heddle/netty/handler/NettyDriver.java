// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;

/// A driver over one of Netty's handlers, on which Netty's own channels can live, too.
public interface NettyDriver extends ReactorDriver {
  /// The handler.
  DrivenHandler handler();

  /// What it can have registered.
  ChannelTypes channelTypes();

  @Override
  default boolean hasGuests() {
    return handler().hasGuests();
  }
}
