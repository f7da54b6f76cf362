// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A listening socket of the JDK's.
final class JdkListener extends JdkDescriptor implements ListenerDescriptor {
  private final ServerSocketChannel channel;

  JdkListener(ChannelDriver driver, ServerSocketChannel channel) {
    super(driver, channel);
    this.channel = channel;
  }

  @Override
  int inputOps() {
    return SelectionKey.OP_ACCEPT;
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    channel.bind(address, backlog);
  }

  @Override
  public @Nullable SocketDescriptor accept() throws IOException {
    SocketChannel accepted = channel.accept();
    if (accepted == null) {
      return null;
    }
    JdkSocket socket = new JdkSocket(driver(), accepted);
    try {
      accepted.configureBlocking(false);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return Addresses.of(channel::getLocalAddress);
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    channel.setOption(option, value);
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return channel.getOption(option);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return channel.supportedOptions();
  }
}
