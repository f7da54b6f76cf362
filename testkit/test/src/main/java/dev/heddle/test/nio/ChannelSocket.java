// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The `java.net.Socket` of a channel.
final class ChannelSocket extends Socket {
  private final SocketChannelFront channel;
  private final SocketFront front;

  private ChannelSocket(SocketChannelFront channel, SocketFront front) throws SocketException {
    super(front);
    this.channel = channel;
    this.front = front;
  }

  static ChannelSocket of(SocketChannelFront channel, SocketFront front) {
    try {
      return new ChannelSocket(channel, front);
    } catch (SocketException e) {
      throw new IllegalStateException("a socket with a given implementation opens nothing", e);
    }
  }

  @Override
  public SocketChannel getChannel() {
    return channel;
  }

  @Override
  public void connect(SocketAddress to) throws IOException {
    connect(to, 0);
  }

  @Override
  public void connect(SocketAddress to, int millis) throws IOException {
    requireBlocking();
    if (millis != 0) {
      throw new UnsupportedOperationException(
          "a time-out of connect is not simulated for the socket of a channel");
    }
    channel.connect(to);
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    channel.bind(local);
  }

  private void requireBlocking() {
    if (!channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
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
  public boolean isInputShutdown() {
    return channel.isInputShut();
  }

  @Override
  public boolean isOutputShutdown() {
    return channel.isOutputShut();
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  // ---- addresses ----

  private @Nullable InetSocketAddress local() {
    try {
      return channel.getLocalAddress() instanceof InetSocketAddress local ? local : null;
    } catch (ClosedChannelException _) {
      return null; // it has none any more
    }
  }

  private @Nullable InetSocketAddress remote() {
    try {
      return channel.getRemoteAddress() instanceof InetSocketAddress remote ? remote : null;
    } catch (ClosedChannelException _) {
      return null;
    }
  }

  @Override
  public java.net.InetAddress getLocalAddress() {
    InetSocketAddress own = local();
    return own == null ? new InetSocketAddress(0).getAddress() : own.getAddress();
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
  public java.net.@Nullable InetAddress getInetAddress() {
    InetSocketAddress peer = remote();
    return peer == null ? null : peer.getAddress();
  }

  @Override
  public int getPort() {
    InetSocketAddress peer = remote();
    return peer == null ? 0 : peer.getPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return remote();
  }

  // ---- bytes ----

  @Override
  public InputStream getInputStream() throws IOException {
    requireUsable();
    return front.getInputStream();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    requireUsable();
    return front.getOutputStream();
  }

  private void requireUsable() throws SocketException {
    if (isClosed()) {
      throw new SocketException("Socket is closed");
    }
    if (!isConnected()) {
      throw new SocketException("Socket is not connected");
    }
    requireBlocking();
  }
}
