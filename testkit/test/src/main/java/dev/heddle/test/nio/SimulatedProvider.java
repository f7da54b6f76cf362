// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.world.OpenWorld;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/// The channels of the current run.
///
/// There is one provider for all runs of the JVM, because libraries keep the first one that they
/// get. Outside of a run it opens the channels of the JDK.
public final class SimulatedProvider extends SelectorProvider {
  /// The only one.
  public static final SimulatedProvider INSTANCE = new SimulatedProvider();

  private SimulatedProvider() {}

  private static @Nullable HostNetwork network() {
    return HostNetwork.currentOrNull();
  }

  // asked outside of a run, the JDK gives its own
  private static SelectorProvider real() {
    SelectorProvider[] found = new SelectorProvider[1];
    OpenWorld.outside(() -> found[0] = SelectorProvider.provider());
    return found[0];
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openSocketChannel()
        : new SocketChannelFront(this, network, StandardProtocolFamily.INET6);
  }

  @Override
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openSocketChannel(family)
        : new SocketChannelFront(this, network, family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openServerSocketChannel()
        : new ServerSocketChannelFront(this, network, StandardProtocolFamily.INET6);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openServerSocketChannel(family)
        : new ServerSocketChannelFront(this, network, family);
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openDatagramChannel()
        : new DatagramChannelFront(this, network, StandardProtocolFamily.INET6);
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    HostNetwork network = network();
    return network == null
        ? real().openDatagramChannel(family)
        : new DatagramChannelFront(this, network, family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    HostNetwork network = network();
    if (network == null) {
      return real().openPipe();
    }
    PipeDescriptors ends = network.driver().openPipe();
    return new PipeFront(
        new PipeSourceFront(this, network, ends.source()),
        new PipeSinkFront(this, network, ends.sink()));
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    HostNetwork network = network();
    return network == null ? real().openSelector() : new SimulatedSelector(this, network);
  }
}
