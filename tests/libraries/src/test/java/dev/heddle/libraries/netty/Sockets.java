// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Consumer;

/// Netty's own servers and clients, whose connections have a handler that waits.
final class Sockets {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private Sockets() {}

  static Channel listen(HeddleEventLoop loop, Consumer<Channel> initializer) {
    return NettyFutures.await(
        new ServerBootstrap()
            .group(loop)
            .channel(loop.serverChannelType())
            .childHandler(initializing(initializer))
            .bind(ANY));
  }

  static Channel connect(HeddleEventLoop loop, SocketAddress to, Consumer<Channel> initializer) {
    return NettyFutures.await(
        new Bootstrap()
            .group(loop)
            .channel(loop.channelType())
            .handler(initializing(initializer))
            .connect(to));
  }

  private static ChannelHandler initializing(Consumer<Channel> initializer) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        initializer.accept(Waiting.in(channel));
      }
    };
  }
}
