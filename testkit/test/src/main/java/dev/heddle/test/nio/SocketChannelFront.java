// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A stream channel, TCP or UNIX.
final class SocketChannelFront extends SocketChannel implements Selectable {
  /*
   * Locks. Readers wait for each other, and so do writers, as with the JDK's own channels; a
   * connect takes both locks. A blocking operation keeps its lock while it waits. close() takes
   * none, and ends the waits.
   */
  private final HostNetwork network;
  private final SocketDescriptor descriptor;
  private final Waits waits;
  private final boolean unix;
  private final ReentrantLock reading = new ReentrantLock();
  private final ReentrantLock writing = new ReentrantLock();
  private boolean blocks = true;
  private boolean pending; // connect() has begun
  private boolean connected;
  private boolean inputShut;
  private boolean outputShut;
  private @Nullable SocketAddress remote;
  private @Nullable Socket adapter;

  /// A channel that is not connected.
  SocketChannelFront(SelectorProvider provider, HostNetwork network, ProtocolFamily family)
      throws IOException {
    this(provider, network, network.driver().openSocket(family), isUnix(family));
  }

  private SocketChannelFront(
      SelectorProvider provider, HostNetwork network, SocketDescriptor descriptor, boolean unix) {
    super(provider);
    this.network = network;
    this.descriptor = descriptor;
    this.waits = new Waits(network, descriptor);
    this.unix = unix;
  }

  /// The channel of a connection that was accepted.
  static SocketChannelFront ofAccepted(
      SelectorProvider provider,
      HostNetwork network,
      SocketDescriptor accepted,
      ProtocolFamily family) {
    SocketChannelFront channel =
        new SocketChannelFront(provider, network, accepted, isUnix(family));
    channel.nowConnected();
    return channel;
  }

  static boolean isUnix(ProtocolFamily family) {
    return family == StandardProtocolFamily.UNIX;
  }

  private void nowConnected() {
    pending = false;
    connected = true;
    remote = descriptor.remoteAddress();
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void requireConnected() throws ClosedChannelException {
    requireOpen();
    if (!connected) {
      throw new NotYetConnectedException();
    }
  }

  // ---- connecting ----

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
    requireOpen();
    if (pending) {
      throw new ConnectionPendingException();
    }
    descriptor.bind(local == null ? new InetSocketAddress(0) : local);
    return this;
  }

  @Override
  public boolean connect(SocketAddress to) throws IOException {
    return exclusively(() -> {
      requireOpen();
      if (to instanceof InetSocketAddress inet && inet.isUnresolved()) {
        throw new UnresolvedAddressException();
      }
      if (connected) {
        throw new AlreadyConnectedException();
      }
      if (pending) {
        throw new ConnectionPendingException();
      }
      return begin(to) || (blocks && finish());
    });
  }

  /// A step of a connection; the channel closes when it fails, as the JDK's.
  private interface Step {
    boolean run() throws IOException;
  }

  private boolean exclusively(Step step) throws IOException {
    reading.lock();
    try {
      return writingExclusively(step);
    } catch (IOException e) {
      close();
      throw e;
    } finally {
      reading.unlock();
    }
  }

  private boolean writingExclusively(Step step) throws IOException {
    writing.lock();
    try {
      return step.run();
    } finally {
      writing.unlock();
    }
  }

  private boolean begin(SocketAddress to) throws IOException {
    boolean done = descriptor.connect(to);
    pending = !done;
    if (done) {
      nowConnected();
    }
    waits.stateChanged();
    return done;
  }

  @Override
  public boolean finishConnect() throws IOException {
    return exclusively(() -> {
      requireOpen();
      if (!pending && !connected) {
        throw new NoConnectionPendingException();
      }
      return connected || finish();
    });
  }

  private boolean finish() throws IOException {
    boolean done = false;
    if (blocks) {
      begin();
    }
    try {
      done = isOpen() && descriptor.finishConnect();
      while (blocks && !done && isOpen()) {
        waits.await(Direction.WRITE, HostNetwork.FOREVER);
        done = isOpen() && descriptor.finishConnect();
      }
    } finally {
      if (blocks) {
        end(done);
      }
    }
    if (done) {
      nowConnected();
    } else {
      network.threads().onFruitless();
    }
    return done;
  }

  @Override
  public boolean isConnected() {
    return connected && isOpen();
  }

  @Override
  public boolean isConnectionPending() {
    return pending && isOpen();
  }

  // ---- reading ----

  @Override
  public int read(ByteBuffer into) throws IOException {
    Objects.requireNonNull(into);
    reading.lock();
    try {
      requireConnected();
      int n = blocks ? readBlocking(into) : readNow(into);
      if (n == 0 && into.hasRemaining()) {
        network.threads().onFruitless();
      }
      return n;
    } finally {
      reading.unlock();
    }
  }

  private int readNow(ByteBuffer into) throws IOException {
    return inputShut ? -1 : descriptor.read(into);
  }

  private int readBlocking(ByteBuffer into) throws IOException {
    int n = 0;
    begin();
    try {
      n = isOpen() ? readNow(into) : 0;
      while (n == 0 && into.hasRemaining() && isOpen()) {
        waits.await(Direction.READ, HostNetwork.FOREVER);
        n = isOpen() ? readNow(into) : 0;
      }
      return n;
    } finally {
      end(n > 0);
    }
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    reading.lock();
    try {
      requireConnected();
      return readAll(into, offset, length);
    } finally {
      reading.unlock();
    }
  }

  // only the first buffer with room waits for bytes
  private long readAll(ByteBuffer[] into, int offset, int length) throws IOException {
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      if (!into[i].hasRemaining()) {
        continue;
      }
      int n = sum == 0 ? read(into[i]) : readNow(into[i]);
      if (n <= 0) {
        return sum == 0 ? n : sum;
      }
      sum += n;
      if (into[i].hasRemaining()) {
        break; // no more has arrived
      }
    }
    return sum;
  }

  // ---- writing ----

  @Override
  public int write(ByteBuffer from) throws IOException {
    Objects.requireNonNull(from);
    return (int) write(new ByteBuffer[] {from}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    writing.lock();
    try {
      requireConnected();
      if (outputShut) {
        throw new ClosedChannelException();
      }
      return blocks ? writeBlocking(from, offset, length) : descriptor.write(from, offset, length);
    } finally {
      writing.unlock();
    }
  }

  private long writeBlocking(ByteBuffer[] from, int offset, int length) throws IOException {
    long sum = 0;
    boolean done = false;
    begin();
    try {
      while (!done && isOpen()) {
        sum += descriptor.write(from, offset, length);
        done = isAllWritten(from, offset, length);
        if (!done) {
          waits.await(Direction.WRITE, HostNetwork.FOREVER);
        }
      }
      return sum;
    } finally {
      end(done || sum > 0);
    }
  }

  private static boolean isAllWritten(ByteBuffer[] from, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (from[i].hasRemaining()) {
        return false;
      }
    }
    return true;
  }

  // ---- ends ----

  @Override
  public SocketChannel shutdownInput() throws IOException {
    requireConnected();
    if (!inputShut) {
      inputShut = true;
      descriptor.shutdownInput();
    }
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    requireConnected();
    if (!outputShut) {
      outputShut = true;
      descriptor.shutdownOutput();
    }
    return this;
  }

  boolean isInputShut() {
    return inputShut;
  }

  boolean isOutputShut() {
    return outputShut;
  }

  @Override
  protected void implCloseSelectableChannel() {
    waits.close();
    descriptor.close();
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    try {
      var _ = exclusively(() -> blocks = block); // after the operations that go on
    } catch (IOException e) {
      throw new IllegalStateException("nothing is read or written", e);
    }
  }

  // ---- what it is ----

  @Override
  public Socket socket() {
    Socket own = adapter;
    if (own == null) {
      if (unix) {
        throw new UnsupportedOperationException("Not supported");
      }
      own = ChannelSocket.of(this, new SocketFront(network, descriptor, waits));
      adapter = own;
    }
    return own;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws ClosedChannelException {
    requireOpen();
    return descriptor.localAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws ClosedChannelException {
    requireOpen();
    return remote;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
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
    return unix ? NumberedOptions.OF_UNIX_SOCKETS : NumberedOptions.OF_SOCKETS;
  }

  @Override
  public Waits waits() {
    return waits;
  }

  @Override
  public int possibleOps() {
    if (connected) {
      return SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }
    return pending ? SelectionKey.OP_CONNECT : 0;
  }
}
