// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/// The `java.net.ServerSocket` of a channel.
final class ChannelServerSocket extends ServerSocket {
  private final ServerSocketChannelFront channel;
  private final ServerSocketFront front;
  private final HostNetwork network;

  ChannelServerSocket(
      ServerSocketChannelFront channel, ServerSocketFront front, HostNetwork network) {
    super(front);
    this.channel = channel;
    this.front = front;
    this.network = network;
  }

  @Override
  public ServerSocketChannel getChannel() {
    return channel;
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    bind(local, 0);
  }

  @Override
  public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
    channel.bind(local, backlog);
    front.readAddress();
  }

  @Override
  public Socket accept() throws IOException {
    if (!channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
    return SocketChannelFront.ofAccepted(
            channel.provider(), network, front.accept(), StandardProtocolFamily.INET6)
        .socket();
  }

  private @Nullable InetSocketAddress local() {
    try {
      return channel.getLocalAddress() instanceof InetSocketAddress local ? local : null;
    } catch (ClosedChannelException _) {
      return null; // it has none any more
    }
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    InetSocketAddress own = local();
    return own == null ? null : own.getAddress();
  }

  @Override
  public int getLocalPort() {
    InetSocketAddress own = local();
    return own == null ? -1 : own.getPort();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return local();
  }

  @Override
  public boolean isBound() {
    return local() != null;
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
