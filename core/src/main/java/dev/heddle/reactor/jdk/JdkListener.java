// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A listening socket over a JDK channel.
final class JdkListener extends JdkNetworkDescriptor<ServerSocketChannel>
    implements ListenerDescriptor {
  JdkListener(ChannelPoller poller, ServerSocketChannel channel) {
    super(poller, channel);
  }

  @Override
  public int ops(Direction direction) {
    return direction == Direction.READ ? SelectionKey.OP_ACCEPT : super.ops(direction);
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    socket().bind(address, backlog);
  }

  @Override
  public @Nullable SocketDescriptor accept() throws IOException {
    SocketChannel accepted = socket().accept();
    if (accepted == null) {
      return null;
    }
    JdkSocket connection = new JdkSocket(poller(), accepted);
    try {
      accepted.configureBlocking(false);
      return connection;
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }
}
