// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.netty.HeddleEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;

// @start region=vertx-transport
/// How Vert.x is handed a loop.
class HeddleTransport implements Transport {
  private final HeddleEventLoop loop;

  HeddleTransport(HeddleEventLoop loop) {
    this.loop = loop;
  }

  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory made, int ratio) {
    return loop;
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return new ReflectiveChannelFactory<>(loop.channelType());
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return new ReflectiveChannelFactory<>(loop.serverChannelType());
  }

  @Override
  public DatagramChannel datagramChannel() {
    return new ReflectiveChannelFactory<>(loop.datagramChannelType()).newChannel();
  }

  @Override
  @SuppressWarnings("deprecation") // Vert.x names it
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return datagramChannel();
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    throw new UnsupportedOperationException("the loop has one"); // not called
  }
}
// @end
