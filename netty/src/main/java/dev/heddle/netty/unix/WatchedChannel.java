// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A channel that other code has opened, and will close.
class WatchedChannel implements Descriptor {
  private final ChannelWatcher watcher;
  private final SelectableChannel channel;

  // loop only
  @Nullable Operation input;
  @Nullable Operation output;

  // the watcher's thread only
  @Nullable SelectionKey key;

  WatchedChannel(ChannelWatcher watcher, SelectableChannel channel) {
    this.watcher = watcher;
    this.channel = channel;
  }

  final SelectableChannel channel() {
    return channel;
  }

  final ChannelWatcher watcher() {
    return watcher;
  }

  /// What to ask a selector for on behalf of an operation.
  final int ops(Operation.Kind kind) {
    if (kind == Operation.Kind.POLL_INPUT) {
      return channel instanceof ServerSocketChannel ? SelectionKey.OP_ACCEPT : SelectionKey.OP_READ;
    }
    return channel instanceof SocketChannel c && c.isConnectionPending()
        ? SelectionKey.OP_CONNECT
        : SelectionKey.OP_WRITE;
  }

  @Override
  public void close() {
    watcher.forget(this);
  }
}
