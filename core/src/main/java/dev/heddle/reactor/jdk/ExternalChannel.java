// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Direction;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// A channel that other code has opened and closes itself.
final class ExternalChannel extends JdkDescriptor {
  ExternalChannel(ChannelPoller poller, SelectableChannel channel) {
    super(poller, channel);
  }

  @Override
  public int ops(Direction direction) {
    if (direction == Direction.READ) {
      return channel() instanceof ServerSocketChannel
          ? SelectionKey.OP_ACCEPT
          : SelectionKey.OP_READ;
    }
    return channel() instanceof SocketChannel c && c.isConnectionPending()
        ? SelectionKey.OP_CONNECT
        : SelectionKey.OP_WRITE;
  }

  @Override
  public boolean isOwner() {
    return false;
  }
}
