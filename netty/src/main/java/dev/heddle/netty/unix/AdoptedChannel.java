// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.SocketOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A channel of the JDK's that other code has opened, and that is the driver's now: watched as
/// those of other code are, and closed with its descriptor.
///
/// @param <C> which kind
abstract class AdoptedChannel<C extends SelectableChannel & NetworkChannel> extends WatchedChannel
    implements SocketOptions {
  private final UnixDriver driver;
  private final C channel;

  AdoptedChannel(UnixDriver driver, ChannelWatcher watcher, C channel) {
    super(watcher, channel);
    this.driver = driver;
    this.channel = channel;
    driver.adopted(this);
  }

  final C own() {
    return channel;
  }

  final UnixDriver driver() {
    return driver;
  }

  @Override
  public final void close() {
    super.close();
    driver.adoptedNoMore(this);
    try {
      channel.close();
    } catch (IOException e) {
      // the descriptor is given back all the same
      AsyncLog.shared().debug("while closing " + channel, e);
    }
    watcher().letGo();
  }

  /// Where it is bound; null when it is not, or closed.
  public final @Nullable SocketAddress localAddress() {
    try {
      return channel.getLocalAddress();
    } catch (IOException _) {
      return null; // safe: it is closed
    }
  }

  @Override
  public final <T> void setOption(SocketOption<T> option, T value) throws IOException {
    channel.setOption(option, value);
  }

  @Override
  public final <T> T getOption(SocketOption<T> option) throws IOException {
    return channel.getOption(option);
  }

  @Override
  public final Set<SocketOption<?>> supportedOptions() {
    return channel.supportedOptions();
  }
}
