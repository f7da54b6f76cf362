// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A stream socket over a JDK channel.
final class JdkSocket extends JdkNetworkDescriptor<SocketChannel> implements SocketDescriptor {
  JdkSocket(ChannelPoller poller, SocketChannel channel) {
    super(poller, channel);
  }

  @Override
  public int ops(Direction direction) {
    return direction == Direction.WRITE && socket().isConnectionPending()
        ? SelectionKey.OP_CONNECT
        : super.ops(direction);
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    socket().bind(address);
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    return socket().connect(address);
  }

  @Override
  public boolean finishConnect() throws IOException {
    return socket().finishConnect();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return socket().read(into);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return socket().write(from);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return socket().write(from, offset, length);
  }

  @Override
  public boolean supportsFileTransfer() {
    return true;
  }

  @Override
  public long send(FileChannel file, long position, long count) throws IOException {
    return file.transferTo(position, count, socket());
  }

  @Override
  public void shutdownInput() throws IOException {
    socket().shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    socket().shutdownOutput();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return unlessClosed(socket()::getRemoteAddress);
  }
}
