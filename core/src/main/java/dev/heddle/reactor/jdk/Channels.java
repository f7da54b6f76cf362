// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/// Creates descriptors of channels that other code has opened.
public final class Channels {
  private Channels() {}

  /// A channel that the driver owns from now on.
  public static SocketDescriptor adopt(ChannelPoller poller, SocketChannel channel)
      throws IOException {
    return new JdkSocket(poller, nonBlocking(channel));
  }

  /// A listening channel that the driver owns from now on.
  public static ListenerDescriptor adopt(ChannelPoller poller, ServerSocketChannel channel)
      throws IOException {
    return new JdkListener(poller, nonBlocking(channel));
  }

  /// A channel that the driver only watches: its owner closes it.
  ///
  /// @throws IllegalBlockingModeException when it is in blocking mode
  /// @throws IllegalArgumentException when it does not come from the JDK's default provider
  public static Descriptor watch(ChannelPoller poller, SelectableChannel channel) {
    if (channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
    if (channel.provider() != SelectorProvider.provider()) {
      throw new IllegalArgumentException(
          channel + " does not come from the JDK's default provider: it cannot be watched");
    }
    return new ExternalChannel(poller, channel);
  }

  static <C extends SelectableChannel> C nonBlocking(C channel) throws IOException {
    channel.configureBlocking(false);
    return channel;
  }
}
