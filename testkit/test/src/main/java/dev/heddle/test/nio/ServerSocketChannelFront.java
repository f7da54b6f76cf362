// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A listening channel, TCP or UNIX.
final class ServerSocketChannelFront extends ServerSocketChannel implements Selectable {
  private final HostNetwork network;
  private final ProtocolFamily family;
  private final ListenerDescriptor descriptor;
  private final Waits waits;
  private final ReentrantLock accepting = new ReentrantLock();
  private @Nullable ServerSocket adapter;

  ServerSocketChannelFront(SelectorProvider provider, HostNetwork network, ProtocolFamily family)
      throws IOException {
    super(provider);
    this.network = network;
    this.family = family;
    this.descriptor = network.driver().openListener(family);
    this.waits = new Waits(network, descriptor);
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
    requireOpen();
    if (local instanceof InetSocketAddress inet && inet.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    descriptor.bind(local == null ? new InetSocketAddress(0) : local, backlog);
    return this;
  }

  @Override
  public @Nullable SocketChannel accept() throws IOException {
    accepting.lock();
    try {
      requireOpen();
      if (descriptor.localAddress() == null) {
        throw new NotYetBoundException();
      }
      SocketDescriptor accepted = isBlocking() ? acceptBlocking() : descriptor.accept();
      if (accepted == null) {
        network.threads().onFruitless();
        return null;
      }
      return SocketChannelFront.ofAccepted(provider(), network, accepted, family);
    } finally {
      accepting.unlock();
    }
  }

  private @Nullable SocketDescriptor acceptBlocking() throws IOException {
    SocketDescriptor accepted = null;
    begin();
    try {
      while (accepted == null && isOpen()) {
        accepted = descriptor.accept();
        if (accepted == null) {
          waits.await(Direction.READ, HostNetwork.FOREVER);
        }
      }
      return accepted;
    } finally {
      end(accepted != null);
    }
  }

  @Override
  public ServerSocket socket() {
    ServerSocket own = adapter;
    if (own == null) {
      if (SocketChannelFront.isUnix(family)) {
        throw new UnsupportedOperationException("Not supported");
      }
      own =
          new ChannelServerSocket(this, new ServerSocketFront(network, descriptor, waits), network);
      adapter = own;
    }
    return own;
  }

  @Override
  protected void implCloseSelectableChannel() {
    waits.close();
    descriptor.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    accepting.lock(); // after an accept that goes on
    accepting.unlock();
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws ClosedChannelException {
    requireOpen();
    return descriptor.localAddress();
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    requireOpen();
    descriptor.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    requireOpen();
    return descriptor.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return NumberedOptions.OF_LISTENERS;
  }

  @Override
  public Waits waits() {
    return waits;
  }

  @Override
  public int possibleOps() {
    return validOps();
  }
}
