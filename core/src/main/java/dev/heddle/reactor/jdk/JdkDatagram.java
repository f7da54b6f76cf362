// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.DatagramDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A UDP socket of the JDK's.
final class JdkDatagram extends JdkDescriptor implements DatagramDescriptor {
  private final DatagramChannel channel;

  JdkDatagram(ChannelDriver driver, DatagramChannel channel) {
    super(driver, channel);
    this.channel = channel;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    channel.bind(address);
  }

  @Override
  public void connect(@Nullable SocketAddress peer) throws IOException {
    // the JDK refuses to connect what is connected
    channel.disconnect();
    if (peer != null) {
      channel.connect(peer);
    }
  }

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    return channel.receive(into);
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    int size = from.remaining();
    if (size == 0 && channel.isConnected()) {
      throw new IOException(
          "the JDK's connected sockets send no empty datagram; send it from one that is not");
    }
    int sent = to == null ? channel.write(from) : channel.send(from, to);
    // an empty datagram that has left looks like one that has not
    return sent > 0 || size == 0;
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException {
    return channel.join(group, on)::drop;
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return Addresses.of(channel::getLocalAddress);
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return Addresses.of(channel::getRemoteAddress);
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    channel.setOption(option, value);
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    return channel.getOption(option);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return channel.supportedOptions();
  }
}
