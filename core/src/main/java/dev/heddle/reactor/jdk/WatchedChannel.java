// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// A channel that other code has opened, and will close.
final class WatchedChannel extends JdkDescriptor {
  WatchedChannel(ChannelDriver driver, SelectableChannel channel) {
    super(driver, channel);
  }

  @Override
  int inputOps() {
    return channel() instanceof ServerSocketChannel ? SelectionKey.OP_ACCEPT : SelectionKey.OP_READ;
  }

  @Override
  int outputOps() {
    return channel() instanceof SocketChannel c && c.isConnectionPending()
        ? SelectionKey.OP_CONNECT
        : SelectionKey.OP_WRITE;
  }

  @Override
  boolean isOwner() {
    return false;
  }
}
