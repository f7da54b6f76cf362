// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import dev.heddle.reactor.driver.DatagramDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/// A UDP socket over a JDK channel.
final class JdkDatagram extends JdkNetworkDescriptor<DatagramChannel>
    implements DatagramDescriptor {
  JdkDatagram(ChannelPoller poller, DatagramChannel channel) {
    super(poller, channel);
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws IOException {
    socket().bind(address);
  }

  @Override
  public void connect(@Nullable SocketAddress peer) throws IOException {
    // the JDK refuses to connect a connected channel
    socket().disconnect();
    if (peer != null) {
      socket().connect(peer);
    }
  }

  @Override
  public @Nullable SocketAddress receive(ByteBuffer into) throws IOException {
    return socket().receive(into);
  }

  @Override
  public boolean send(ByteBuffer from, @Nullable SocketAddress to) throws IOException {
    int size = from.remaining();
    if (size == 0 && socket().isConnected()) {
      throw new IOException(
          "a connected JDK socket sends no empty datagram; send it from an unconnected one");
    }
    int sent = to == null ? socket().write(from) : socket().send(from, to);
    // the JDK returns 0 for an empty datagram, whether it was sent or not
    return sent > 0 || size == 0;
  }

  @Override
  public AutoCloseable join(InetAddress group, NetworkInterface on) throws IOException {
    return socket().join(group, on)::drop;
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return unlessClosed(socket()::getRemoteAddress);
  }
}
