// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.event.source.EventSource;
import dev.heddle.sync.Channel;
import org.jspecify.annotations.Nullable;

/// Sends what a publisher emits to a channel.
final class ChannelInflow<T> extends Inflow<T> {
  private final Channel<T> channel;

  ChannelInflow(Channel<T> channel, int window) {
    super("a channel of a publisher", window);
    this.channel = channel;
  }

  @Override
  void deliver(T item) {
    channel.send(item);
  }

  @Override
  void finish(@Nullable Throwable why) {
    if (why == null) {
      channel.close();
    } else {
      channel.close(why);
    }
  }

  @Override
  boolean isUnwanted() {
    return channel.isClosed();
  }

  @Override
  EventSource closed() {
    return EventSource.of(channel.closed());
  }
}
