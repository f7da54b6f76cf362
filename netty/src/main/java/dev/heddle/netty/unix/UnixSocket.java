// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
final class UnixSocket extends UnixStream implements SocketDescriptor {
  private final NativeSocket socket;

  private boolean connected;
  private boolean resets; // what is closed tells the other side so, by SO_LINGER 0
  private @Nullable SocketAddress remote;

  UnixSocket(UnixDriver driver, NativeSocket socket) {
    this(driver, socket, false);
  }

  UnixSocket(UnixDriver driver, NativeSocket socket, boolean connected) {
    super(driver, socket);
    this.socket = socket;
    this.connected = connected;
  }

  @Override
  int receive(ByteBuffer direct, int from, int to) throws IOException {
    return socket.recv(direct, from, to);
  }

  @Override
  int send(ByteBuffer direct, int from, int to) throws IOException {
    return socket.send(direct, from, to);
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    requireOpen();
    try {
      socket.bind(socket.netty(address));
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    requireOpen();
    try {
      connected = socket.connect(socket.netty(address));
    } catch (IOException e) {
      throw Failures.of(e);
    }
    remote = address;
    return connected;
  }

  @Override
  public boolean finishConnect() throws IOException {
    requireOpen();
    try {
      connected = connected || socket.finishConnect();
      used(OUT, connected);
    } catch (IOException e) {
      throw Failures.of(e);
    }
    return connected;
  }

  @Override
  public void shutdownInput() throws IOException {
    shutdown(true, false);
  }

  @Override
  public void shutdownOutput() throws IOException {
    shutdown(false, true);
  }

  private void shutdown(boolean input, boolean output) throws IOException {
    requireOpen();
    try {
      socket.shutdown(input, output);
    } catch (NotYetConnectedException e) {
      if (!connected) {
        throw e;
      }
      // safe: the connection broke meanwhile; the next read or write says so
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  /// Not where the other side is to see a reset: by wish, or because it sent what nobody has read.
  @Override
  void hangUp() {
    if (connected && !resets && !mayHaveInput()) {
      shutdown(socket);
    }
  }

  static void shutdown(NativeSocket socket) {
    try {
      socket.shutdown(true, true);
    } catch (IOException | NotYetConnectedException _) {
      // safe: it is over already, and closed next
    }
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isClosed() ? null : socket.local();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    if (!connected || isClosed()) {
      return null;
    }
    if (remote == null) {
      remote = socket.remote();
    }
    return remote;
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    requireOpen();
    options().set(socket, option, value);
    if (option == StandardSocketOptions.SO_LINGER) {
      resets = value.equals(0);
    }
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    requireOpen();
    return options().get(socket, option);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return options().supported();
  }

  private NativeOptions options() {
    return socket.isUnix() ? NativeOptions.OF_PATHS : NativeOptions.OF_STREAMS;
  }
}
