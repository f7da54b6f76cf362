// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import org.jspecify.annotations.Nullable;

/// A listening socket, TCP or UNIX.
final class SimulatedListener extends SimulatedDescriptor implements ListenerDescriptor {
  private static final int DEFAULT_BACKLOG = 50; // the JDK's

  private final ProtocolFamily family;
  private final OptionValues options = OptionValues.ofListener();
  private @Nullable ListenerEnd end;

  SimulatedListener(Owner driver, ProtocolFamily family) {
    super(driver);
    this.family = family;
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
    if (end != null) {
      throw new AlreadyBoundException();
    }
    int room = backlog < 1 ? DEFAULT_BACKLOG : backlog;
    MemoryHost host = host();
    ListenerEnd own =
        family == StandardProtocolFamily.UNIX
            ? host.listenUnix(SimulatedSocket.unix(address), room, this::changed)
            : host.listen(SimulatedSocket.inet(family, address), room, this::changed);
    end = own;
    applyOptions(own);
  }

  @Override
  public @Nullable SocketDescriptor accept() throws IOException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
    if (end == null) {
      throw new NotYetBoundException();
    }
    StreamEnd accepted = end.accept();
    return accepted == null ? null : new SimulatedSocket(driver(), family, accepted);
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isClosed() || end == null ? null : end.address();
  }

  @Override
  boolean isReadyNow(Direction direction) {
    return direction == Direction.READ && end != null && end.isReadable();
  }

  @Override
  void closeEnd() {
    if (end != null) {
      end.close();
    }
  }

  private void applyOptions(ListenerEnd own) {
    own.setReceiveBuffer(options.bytes(StandardSocketOptions.SO_RCVBUF, own.receiveBuffer()));
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    options.set(this::isClosed, option, value);
    if (end != null) {
      applyOptions(end);
    }
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return options.get(this::isClosed, option);
  }
}
