// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/// A channel of the JDK's.
public class JdkDescriptor extends PollableDescriptor {
  private static final int READS = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT;
  private static final int WRITES = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

  private final ChannelPoller poller;
  private final SelectableChannel channel;

  // a ChannelDriver's
  @Nullable Interest interest;
  boolean pending; // it is to look at the listeners

  JdkDescriptor(ChannelPoller poller, SelectableChannel channel) {
    super(poller.counts());
    this.poller = poller;
    this.channel = channel;
    poller.opened(this);
  }

  /// The channel.
  public final SelectableChannel channel() {
    return channel;
  }

  final ChannelPoller poller() {
    return poller;
  }

  /// The operation of a selector for a direction.
  public int ops(Direction direction) {
    return direction == Direction.READ ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
  }

  /// The operations that its listeners wait for.
  public final int wanted() {
    int read = listener(Direction.READ) == null ? 0 : ops(Direction.READ);
    return listener(Direction.WRITE) == null ? read : read | ops(Direction.WRITE);
  }

  /// Notifies the listeners of what is ready.
  ///
  /// @param ready for which operations
  /// @param error why it cannot be watched; null: it is ready
  public final void complete(int ready, @Nullable Throwable error) {
    var _ = complete((ready & READS) != 0, (ready & WRITES) != 0, error);
  }

  @Override
  protected final void armed(Direction direction) {
    poller.armed(this, direction);
  }

  /// Whether the channel is closed with the descriptor.
  public boolean isOwner() {
    return true;
  }

  @Override
  public final void close() {
    if (isOwner()) {
      closeChannel();
    }
    poller.closed(this);
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      // the descriptor is gone all the same; the writer has learned of data that was not flushed
      AsyncLog.shared().debug("while closing " + channel, e);
    }
  }
}
