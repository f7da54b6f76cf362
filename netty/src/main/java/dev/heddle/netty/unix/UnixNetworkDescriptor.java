// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import org.jspecify.annotations.Nullable;

/// A socket that is not a stream, with its address and options.
abstract class UnixNetworkDescriptor extends UnixDescriptor implements SocketOptions {
  final NativeSocket socket;
  private final NativeOptions options;

  UnixNetworkDescriptor(DescriptorRegistry registry, NativeSocket socket, NativeOptions options) {
    super(registry, socket);
    this.socket = socket;
    this.options = options;
  }

  /// The local address; null when it is not bound or closed.
  public @Nullable SocketAddress localAddress() {
    return isClosed() ? null : socket.local();
  }

  @Override
  public final <T> void setOption(SocketOption<T> option, T value) throws IOException {
    requireOpen();
    options.set(socket, option, value);
  }

  @Override
  public final <T> T getOption(SocketOption<T> option) throws IOException {
    requireOpen();
    return options.get(socket, option);
  }
}
