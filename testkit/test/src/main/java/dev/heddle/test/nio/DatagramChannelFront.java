// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Direction;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A UDP channel. What is not simulated is refused: groups, and the `DatagramSocket` of a channel.
final class DatagramChannelFront extends DatagramChannel implements Selectable {
  private final HostNetwork network;
  private final DatagramDescriptor descriptor;
  private final Waits waits;
  private final ReentrantLock reading = new ReentrantLock();

  DatagramChannelFront(SelectorProvider provider, HostNetwork network, ProtocolFamily family)
      throws IOException {
    super(provider);
    this.network = network;
    this.descriptor = network.driver().openDatagram(family);
    this.waits = new Waits(network, descriptor);
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private static InetSocketAddress resolved(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      throw new java.nio.channels.UnsupportedAddressTypeException();
    }
    if (inet.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    return inet;
  }

  @Override
  public DatagramChannel bind(@Nullable SocketAddress local) throws IOException {
    requireOpen();
    descriptor.bind(local == null ? new InetSocketAddress(0) : resolved(local));
    return this;
  }

  @Override
  public boolean isConnected() {
    return descriptor.remoteAddress() != null;
  }

  @Override
  public DatagramChannel connect(SocketAddress to) throws IOException {
    requireOpen();
    if (isConnected()) {
      throw new AlreadyConnectedException();
    }
    descriptor.connect(resolved(to));
    return this;
  }

  @Override
  public DatagramChannel disconnect() throws IOException {
    if (isConnected()) {
      descriptor.connect(null);
    }
    return this;
  }

  // ---- datagrams ----

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    Objects.requireNonNull(into);
    reading.lock();
    try {
      requireOpen();
      if (descriptor.localAddress() == null) {
        descriptor.bind(null);
      }
      SocketAddress from = isBlocking() ? receiveBlocking(into) : descriptor.receive(into);
      if (from == null) {
        network.threads().onFruitless();
      }
      return from;
    } finally {
      reading.unlock();
    }
  }

  private @Nullable SocketAddress receiveBlocking(ByteBuffer into) throws IOException {
    SocketAddress from = null;
    begin();
    try {
      while (from == null && isOpen()) {
        from = descriptor.receive(into);
        if (from == null) {
          waits.await(Direction.READ, HostNetwork.FOREVER);
        }
      }
      return from;
    } finally {
      end(from != null);
    }
  }

  @Override
  public int send(ByteBuffer from, SocketAddress to) throws IOException {
    requireOpen();
    return sendAll(from, resolved(to));
  }

  // a datagram is sent at once: it waits for nobody
  private int sendAll(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    int size = from.remaining();
    return descriptor.send(from, to) ? size : 0;
  }

  private void requireConnected() throws ClosedChannelException {
    requireOpen();
    if (!isConnected()) {
      throw new NotYetConnectedException();
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    requireConnected();
    int before = into.position();
    return receive(into) == null ? 0 : into.position() - before;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    requireConnected();
    int room = 0;
    for (int i = offset; i < offset + length; i++) {
      room += into[i].remaining();
    }
    ByteBuffer whole = ByteBuffer.allocate(room);
    if (receive(whole) == null) {
      return 0;
    }
    whole.flip();
    for (int i = offset; i < offset + length && whole.hasRemaining(); i++) {
      int n = Math.min(whole.remaining(), into[i].remaining());
      into[i].put(whole.slice(whole.position(), n));
      whole.position(whole.position() + n);
    }
    return whole.position();
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    requireConnected();
    return sendAll(from, null);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    requireConnected();
    int size = 0;
    for (int i = offset; i < offset + length; i++) {
      size += from[i].remaining();
    }
    ByteBuffer whole = ByteBuffer.allocate(size);
    for (int i = offset; i < offset + length; i++) {
      whole.put(from[i]);
    }
    return sendAll(whole.flip(), null);
  }

  // ---- what is not simulated ----

  @Override
  public DatagramSocket socket() {
    throw refused("the DatagramSocket of a channel");
  }

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface on) {
    throw refused("a group of datagram channels");
  }

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface on, InetAddress source) {
    throw refused("a group of datagram channels");
  }

  private static UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(what + " cannot be part of a simulation");
  }

  // ---- what it is ----

  @Override
  protected void implCloseSelectableChannel() {
    waits.close();
    descriptor.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    reading.lock(); // after a receive that goes on
    reading.unlock();
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws ClosedChannelException {
    requireOpen();
    return descriptor.localAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws ClosedChannelException {
    requireOpen();
    return descriptor.remoteAddress();
  }

  @Override
  public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
    requireOpen();
    if (name == StandardSocketOptions.IP_MULTICAST_IF) {
      throw refused("a group of datagram channels");
    }
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
    return NumberedOptions.OF_DATAGRAMS;
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
