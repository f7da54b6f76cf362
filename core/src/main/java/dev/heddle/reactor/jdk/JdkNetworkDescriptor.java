// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import org.jspecify.annotations.Nullable;

/// A socket over a JDK channel: its addresses and options.
abstract class JdkNetworkDescriptor<C extends SelectableChannel & NetworkChannel>
    extends JdkDescriptor implements SocketOptions {
  private final C socket;

  JdkNetworkDescriptor(ChannelPoller poller, C socket) {
    super(poller, socket);
    this.socket = socket;
  }

  final C socket() {
    return socket;
  }

  interface AddressCall {
    @Nullable SocketAddress call() throws IOException;
  }

  /// An address; null when the channel is closed, which is the only reason why the call fails.
  static @Nullable SocketAddress unlessClosed(AddressCall address) {
    try {
      return address.call();
    } catch (IOException _) {
      return null;
    }
  }

  /// The local address; null when the socket is unbound, or closed.
  public final @Nullable SocketAddress localAddress() {
    return unlessClosed(socket::getLocalAddress);
  }

  @Override
  public final <T> void setOption(SocketOption<T> option, T value) throws IOException {
    socket.setOption(option, value);
  }

  @Override
  public final <T> T getOption(SocketOption<T> option) throws IOException {
    return socket.getOption(option);
  }
}
