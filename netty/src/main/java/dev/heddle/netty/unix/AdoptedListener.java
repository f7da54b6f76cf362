// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A listening channel of the JDK's.
final class AdoptedListener extends AdoptedChannel<ServerSocketChannel>
    implements ListenerDescriptor {
  AdoptedListener(UnixDriver driver, ChannelWatcher watcher, ServerSocketChannel channel) {
    super(driver, watcher, channel);
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    own().bind(address, backlog);
  }

  @Override
  public @Nullable SocketDescriptor accept() throws IOException {
    SocketChannel accepted = own().accept();
    return accepted == null ? null : driver().adopt(accepted);
  }
}
