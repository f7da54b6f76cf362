// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.function.Consumer;

/// Loops over each of the module's drivers, and the plainest of Netty's servers and clients.
final class Bridge {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private Bridge() {}

  static void run(String driver, Action main) {
    Heddle.run(HeddleOptions.defaults().withDriver(driver), main);
  }

  /// A server as one finds it in Netty's examples, on a free port.
  static Channel listen(HeddleEventLoop loop, Consumer<Channel> initializer) {
    return listen(loop, ANY, initializer);
  }

  static Channel listen(
      HeddleEventLoop loop, SocketAddress address, Consumer<Channel> initializer) {
    return NettyFutures.await(
        new ServerBootstrap()
            .group(loop)
            .channel(loop.serverChannelType())
            .childHandler(initializing(initializer))
            .bind(address));
  }

  static Channel connect(EventLoopGroup group, SocketAddress to, Consumer<Channel> initializer) {
    HeddleEventLoop loop = HeddleEventLoop.current();
    return NettyFutures.await(
        new Bootstrap()
            .group(group)
            .channel(loop.channelType())
            .handler(initializing(initializer))
            .connect(to));
  }

  static ChannelHandler initializing(Consumer<Channel> initializer) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        initializer.accept(channel);
      }
    };
  }

  /// Sends back what comes.
  static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message, ctx.voidPromise());
    }
  }

  /// What a plain socket on a thread gets back for `text`.
  static String exchange(SocketAddress server, String text) throws IOException {
    InetSocketAddress at = (InetSocketAddress) server;
    try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
      return new String(socket.getInputStream().readNBytes(text.length()), US_ASCII);
    }
  }

  /// Connects and leaves.
  static void visit(InetSocketAddress server) {
    try {
      new Socket(server.getAddress(), server.getPort()).close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Object bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }
}
