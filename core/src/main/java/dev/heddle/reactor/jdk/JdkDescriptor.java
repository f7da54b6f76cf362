// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Operation;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/// A channel, and what its driver knows of it.
public class JdkDescriptor implements Descriptor {
  private final ChannelDriver driver;
  private final SelectableChannel channel;

  // the driver's
  ChannelDriver.@Nullable Interest interest;
  @Nullable Operation input;
  @Nullable Operation output;
  boolean noted;

  JdkDescriptor(ChannelDriver driver, SelectableChannel channel) {
    this.driver = driver;
    this.channel = channel;
    driver.opened(this);
  }

  /// The channel.
  public final SelectableChannel channel() {
    return channel;
  }

  final ChannelDriver driver() {
    return driver;
  }

  /// What to ask a selector for when somebody waits for input.
  int inputOps() {
    return SelectionKey.OP_READ;
  }

  /// What to ask a selector for when somebody waits for output.
  int outputOps() {
    return SelectionKey.OP_WRITE;
  }

  final int wanted() {
    return (input == null ? 0 : inputOps()) | (output == null ? 0 : outputOps());
  }

  /// Whether the channel is closed with the descriptor.
  boolean isOwner() {
    return true;
  }

  @Override
  public final void close() {
    driver.closed(this);
    if (!isOwner()) {
      if (interest != null) {
        interest.cancel();
      }
      return;
    }
    closeChannel();
  }

  final void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      // the descriptor is gone all the same; data that could not be flushed was reported to the
      // writer
      AsyncLog.shared().debug("while closing " + channel, e);
    }
  }
}
