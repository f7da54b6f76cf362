// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PollableDescriptor;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/// A descriptor over a JDK channel.
public class JdkDescriptor extends PollableDescriptor {
  private static final int READS = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT;
  private static final int WRITES = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

  private final ChannelPoller poller;
  private final SelectableChannel channel;

  // used by a ChannelDriver
  @Nullable Interest interest;
  boolean pending; // queued to be registered

  JdkDescriptor(ChannelPoller poller, SelectableChannel channel) {
    super(poller.counts());
    this.poller = poller;
    this.channel = channel;
    poller.opened(this);
  }

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

  /// The operations that the armed listeners wait for.
  public final int wanted() {
    int read = listener(Direction.READ) == null ? 0 : ops(Direction.READ);
    return listener(Direction.WRITE) == null ? read : read | ops(Direction.WRITE);
  }

  /// Notifies the listeners of readiness.
  ///
  /// @param error why the channel cannot be watched; null: it is ready
  public final void complete(int ready, @Nullable Throwable error) {
    var _ = complete((ready & READS) != 0, (ready & WRITES) != 0, error);
  }

  @Override
  protected final void armed(Direction direction) {
    poller.armed(this, direction);
  }

  /// Whether the descriptor owns the channel, and closes it.
  public boolean isOwner() {
    return true;
  }

  @Override
  public final void close() {
    if (isOwner()) {
      try {
        channel.close();
      } catch (IOException e) {
        // closed all the same; the writer was notified of data that was not flushed
        AsyncLog.shared().debug("while closing " + channel, e);
      }
    }
    poller.closed(this);
  }
}
