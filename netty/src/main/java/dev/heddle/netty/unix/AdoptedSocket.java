// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A stream socket of the JDK's.
final class AdoptedSocket extends AdoptedChannel<SocketChannel> implements SocketDescriptor {
  AdoptedSocket(UnixDriver driver, ChannelWatcher watcher, SocketChannel channel) {
    super(driver, watcher, channel);
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    own().bind(address);
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    return own().connect(address);
  }

  @Override
  public boolean finishConnect() throws IOException {
    return own().finishConnect();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return own().read(into);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return own().write(from);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return own().write(from, offset, length);
  }

  @Override
  public boolean sendsFiles() {
    return true;
  }

  @Override
  public long send(FileChannel file, long position, long count) throws IOException {
    return file.transferTo(position, count, own());
  }

  @Override
  public void shutdownInput() throws IOException {
    own().shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    own().shutdownOutput();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    try {
      return own().getRemoteAddress();
    } catch (IOException _) {
      return null; // safe: it is closed
    }
  }
}
