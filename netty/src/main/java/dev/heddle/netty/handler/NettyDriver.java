// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.IoHandle;

/// A driver over one of Netty's handlers, on which Netty's own channels can live, too.
public interface NettyDriver extends ReactorDriver, EmbeddedHandles.Host {
  /// What its handler can have registered.
  ChannelTypes channelTypes();

  @Override
  default boolean hasEmbeddedEventLoop() {
    return handler().hasEmbeddedEventLoop();
  }

  /// The refusal of a handle of another transport.
  default IllegalArgumentException foreign(IoHandle handle) {
    return new IllegalArgumentException(
        handle.getClass().getName()
            + " is of another transport than the loop's driver "
            + name()
            + "; take the channel types that HeddleEventLoop names");
  }
}
