// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
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
import java.net.StandardProtocolFamily;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a `java.net.ServerSocket` of a run is built on.
public final class ServerSocketFront extends SocketImpl {
  private final HostNetwork network;
  private @Nullable ListenerDescriptor descriptor;
  private @Nullable Waits waits;
  private @Nullable InetSocketAddress wanted;
  private int timeoutMillis;

  /// A socket that is not bound.
  public ServerSocketFront(HostNetwork network) {
    this.network = network;
  }

  /// The socket of a channel.
  ServerSocketFront(HostNetwork network, ListenerDescriptor descriptor, Waits waits) {
    this.network = network;
    this.descriptor = descriptor;
    this.waits = waits;
  }

  private ListenerDescriptor listener() throws SocketException {
    if (descriptor == null || waits().isClosed()) {
      throw new SocketException("Socket closed");
    }
    return descriptor;
  }

  private Waits waits() {
    return Objects.requireNonNull(waits, "a socket that was created");
  }

  @Override
  protected void create(boolean stream) throws IOException {
    if (descriptor == null) {
      ListenerDescriptor own = network.driver().openListener(StandardProtocolFamily.INET6);
      descriptor = own;
      waits = new Waits(network, own);
    }
  }

  @Override
  protected void bind(InetAddress host, int port) {
    wanted = new InetSocketAddress(host, port); // the port is taken by listen()
  }

  @Override
  protected void listen(int backlog) throws IOException {
    ListenerDescriptor own = listener();
    own.bind(Objects.requireNonNull(wanted, "bound before"), backlog);
    readAddress();
  }

  /// Reads the address, once the socket is bound.
  void readAddress() {
    if (descriptor != null && descriptor.localAddress() instanceof InetSocketAddress local) {
      address = local.getAddress();
      localport = local.getPort();
    }
  }

  @Override
  protected void accept(SocketImpl into) throws IOException {
    if (!(into instanceof SocketFront front)) {
      throw new SocketException("only a socket of this simulation can take the connection");
    }
    front.become(accept());
  }

  /// Accepts a connection, within the time-out of the socket.
  SocketDescriptor accept() throws IOException {
    long deadline = network.deadline(timeoutMillis);
    while (true) {
      SocketDescriptor accepted = listener().accept();
      if (accepted != null) {
        return accepted;
      }
      SocketFront.awaitReady(network, waits(), Direction.READ, deadline, "Accept timed out");
      if (Thread.currentThread().isInterrupted() && network.threads().isVirtual()) {
        close();
        throw new SocketException("Closed by interrupt");
      }
    }
  }

  @Override
  protected void close() {
    if (descriptor != null && waits != null && !waits.isClosed()) {
      waits.close();
      descriptor.close();
    }
  }

  // ---- what only a client does ----

  @Override
  protected void connect(String host, int port) throws IOException {
    throw notAClient();
  }

  @Override
  protected void connect(InetAddress host, int port) throws IOException {
    throw notAClient();
  }

  @Override
  protected void connect(SocketAddress to, int millis) throws IOException {
    throw notAClient();
  }

  @Override
  protected InputStream getInputStream() throws IOException {
    throw notAClient();
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    throw notAClient();
  }

  @Override
  protected int available() {
    return 0;
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    throw notAClient();
  }

  private static SocketException notAClient() {
    return new SocketException("a listening socket has no bytes");
  }

  // ---- options ----

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    return NumberedOptions.OF_LISTENERS;
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    listener().setOption(name, value);
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    return listener().getOption(name);
  }

  @Override
  public void setOption(int id, Object value) throws SocketException {
    if (id == SO_TIMEOUT) {
      listener();
      timeoutMillis = (Integer) value;
    } else {
      NumberedOptions.set(listener(), id, value);
    }
  }

  @Override
  public Object getOption(int id) throws SocketException {
    return id == SO_TIMEOUT ? timeoutMillis : NumberedOptions.get(listener(), id);
  }
}
