// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a `java.net.Socket` of a run is built on.
public final class SocketFront extends SocketImpl {
  private static final int MOST_BYTES = 64 << 10; // that one write copies

  private final HostNetwork network;
  private @Nullable SocketDescriptor descriptor;
  private @Nullable Waits waits;
  private int timeoutMillis;
  private boolean inputShut;

  /// A socket that is not connected.
  public SocketFront(HostNetwork network) {
    this.network = network;
  }

  /// The socket of a channel.
  SocketFront(HostNetwork network, SocketDescriptor descriptor, Waits waits) {
    this.network = network;
    this.descriptor = descriptor;
    this.waits = waits;
    readAddresses();
  }

  /// Takes over a connection that was accepted.
  void become(SocketDescriptor accepted) {
    take(accepted);
    readAddresses();
  }

  private void take(SocketDescriptor own) {
    descriptor = own;
    waits = new Waits(network, own);
  }

  private SocketDescriptor socket() throws SocketException {
    if (descriptor == null || waits().isClosed()) {
      throw new SocketException("Socket closed");
    }
    return descriptor;
  }

  private Waits waits() {
    return Objects.requireNonNull(waits, "a socket that was created");
  }

  private void readAddresses() {
    SocketDescriptor own = Objects.requireNonNull(descriptor);
    if (own.localAddress() instanceof InetSocketAddress local) {
      localport = local.getPort();
    }
    if (own.remoteAddress() instanceof InetSocketAddress remote) {
      address = remote.getAddress();
      port = remote.getPort();
    }
  }

  // ---- life ----

  @Override
  protected void create(boolean stream) throws IOException {
    if (!stream) {
      throw new SocketException("a datagram socket of the class Socket cannot be simulated");
    }
    if (descriptor == null) {
      take(network.driver().openSocket(StandardProtocolFamily.INET6));
    }
  }

  @Override
  protected void bind(InetAddress host, int wanted) throws IOException {
    socket().bind(new InetSocketAddress(host, wanted));
    readAddresses();
  }

  @Override
  protected void connect(String host, int to) throws IOException {
    connect(new InetSocketAddress(host, to), 0);
  }

  @Override
  protected void connect(InetAddress host, int to) throws IOException {
    connect(new InetSocketAddress(host, to), 0);
  }

  @Override
  protected void connect(SocketAddress to, int millis) throws IOException {
    if (!(to instanceof InetSocketAddress target)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    if (target.isUnresolved()) {
      throw new UnknownHostException(target.getHostName());
    }
    try {
      SocketDescriptor own = socket();
      long deadline = network.deadline(millis);
      boolean connected = own.connect(target);
      while (!connected) {
        await(Direction.WRITE, deadline, "Connect timed out");
        connected = socket().finishConnect();
      }
    } catch (IOException e) {
      close();
      throw e instanceof ClosedChannelException ? new SocketException("Socket closed") : e;
    }
    readAddresses();
  }

  @Override
  protected void listen(int backlog) {
    throw new IllegalStateException("a client's socket does not listen");
  }

  @Override
  protected void accept(SocketImpl accepted) {
    throw new IllegalStateException("a client's socket does not accept");
  }

  @Override
  protected void close() {
    if (descriptor != null && waits != null && !waits.isClosed()) {
      waits.close();
      descriptor.close();
    }
  }

  /// Waits, as the JDK's sockets do: an interrupt closes that of a virtual thread.
  private void await(Direction direction, long deadline, String late) throws IOException {
    awaitReady(network, waits(), direction, deadline, late);
    if (Thread.currentThread().isInterrupted() && network.threads().isVirtual()) {
      close();
      throw new SocketException("Closed by interrupt");
    }
    socket();
  }

  static void awaitReady(
      HostNetwork network, Waits waits, Direction direction, long deadline, String late)
      throws SocketTimeoutException {
    boolean platform = !network.threads().isVirtual();
    boolean interrupted = platform && Thread.interrupted();
    try {
      waits.await(direction, deadline);
      while (platform && Thread.interrupted()) {
        interrupted = true; // does not end the wait
        waits.await(direction, deadline);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    boolean undecided = !waits.isClosed() && !waits.isReady(direction);
    if (undecided && network.clock().nanoTime() >= deadline) {
      throw new SocketTimeoutException(late);
    }
  }

  // ---- bytes ----

  @Override
  protected InputStream getInputStream() {
    return new Input();
  }

  @Override
  protected OutputStream getOutputStream() {
    return new Output();
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, into.length);
      return length == 0 ? 0 : SocketFront.this.read(ByteBuffer.wrap(into, offset, length));
    }

    @Override
    public int available() throws IOException {
      return SocketFront.this.available();
    }

    @Override
    public void close() {
      SocketFront.this.close();
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, from.length);
      SocketFront.this.write(ByteBuffer.wrap(from, offset, length));
    }

    @Override
    public void close() {
      SocketFront.this.close();
    }
  }

  private int read(ByteBuffer into) throws IOException {
    long deadline = network.deadline(timeoutMillis);
    while (true) {
      SocketDescriptor own = socket();
      int n = inputShut ? -1 : own.read(into);
      if (n != 0) {
        return n;
      }
      await(Direction.READ, deadline, "Read timed out");
    }
  }

  private void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      int most = Math.min(from.remaining(), MOST_BYTES);
      ByteBuffer piece = from.slice(from.position(), most);
      int n = writeSome(piece);
      from.position(from.position() + n);
      if (n == 0) {
        await(Direction.WRITE, HostNetwork.FOREVER, "");
      }
    }
  }

  private int writeSome(ByteBuffer piece) throws IOException {
    try {
      return socket().write(piece);
    } catch (ClosedChannelException | NotYetConnectedException e) {
      throw new SocketException("Socket output is shutdown", e);
    } catch (SocketException e) {
      throw e;
    } catch (IOException e) {
      throw new SocketException(e.getMessage(), e);
    }
  }

  @Override
  protected int available() throws IOException {
    SocketDescriptor own = socket();
    return inputShut ? 0 : network.driver().available(own);
  }

  @Override
  protected void shutdownInput() throws IOException {
    socket().shutdownInput();
    inputShut = true;
  }

  @Override
  protected void shutdownOutput() throws IOException {
    socket().shutdownOutput();
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    throw new SocketException("urgent data cannot be simulated");
  }

  // ---- options ----

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    return NumberedOptions.OF_SOCKETS;
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    socket().setOption(name, value);
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    return socket().getOption(name);
  }

  @Override
  public void setOption(int id, Object value) throws SocketException {
    if (id == SO_TIMEOUT) {
      socket();
      timeoutMillis = (Integer) value;
    } else {
      NumberedOptions.set(socket(), id, value);
    }
  }

  @Override
  public Object getOption(int id) throws SocketException {
    SocketDescriptor own = socket();
    return switch (id) {
      case SO_TIMEOUT -> timeoutMillis;
      case SO_BINDADDR ->
          own.localAddress() instanceof InetSocketAddress local
              ? local.getAddress()
              : new InetSocketAddress(0).getAddress();
      default -> NumberedOptions.get(own, id);
    };
  }
}
