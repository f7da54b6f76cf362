// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A stream socket of the JDK's.
final class JdkSocket extends JdkStream implements SocketDescriptor {
  private final SocketChannel channel;

  JdkSocket(ChannelDriver driver, SocketChannel channel) {
    super(driver, channel);
    this.channel = channel;
  }

  @Override
  int outputOps() {
    return channel.isConnectionPending() ? SelectionKey.OP_CONNECT : SelectionKey.OP_WRITE;
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    channel.bind(address);
  }

  @Override
  public boolean sendsFiles() {
    return true;
  }

  @Override
  public long send(FileChannel file, long position, long count) throws IOException {
    return file.transferTo(position, count, channel);
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    return channel.connect(address);
  }

  @Override
  public boolean finishConnect() throws IOException {
    return channel.finishConnect();
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
  public @Nullable SocketAddress localAddress() {
    return Addresses.of(channel::getLocalAddress);
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return Addresses.of(channel::getRemoteAddress);
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
