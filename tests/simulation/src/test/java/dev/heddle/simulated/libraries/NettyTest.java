// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.simulated.Simulated;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Netty's NIO transport with its own event loops: an echo that comes back after an hour.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NettyTest {
  @Test
  void echo_comesBackAfterAnHour() {
    Duration elapsed =
        Simulated.virtually(() -> {
          EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
          try {
            assertThat(askForEcho(group, "hello")).isEqualTo("hello");
          } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            // Netty keeps this thread from run to run: the next one would wait for one of the last
            GlobalEventExecutor.INSTANCE.awaitInactivity(1, TimeUnit.MINUTES);
          }
        });
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  private static String askForEcho(EventLoopGroup group, String text) throws Exception {
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(onEachChannel(LateEcho::new))
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    CompletableFuture<String> answer = new CompletableFuture<>();
    Channel client =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(onEachChannel(() -> new Answer(answer)))
            .connect(server.localAddress())
            .sync()
            .channel();
    client.writeAndFlush(Unpooled.copiedBuffer(text, UTF_8)).sync();
    String echo = answer.get(2, TimeUnit.HOURS);
    client.close().sync();
    server.close().sync();
    return echo;
  }

  private static ChannelHandler onEachChannel(Supplier<ChannelHandler> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(handler.get());
      }
    };
  }

  /// Writes what it reads, an hour later.
  private static final class LateEcho extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.executor().schedule(() -> context.writeAndFlush(message), 1, TimeUnit.HOURS);
    }
  }

  /// Completes a future with what it reads first.
  private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
    private final CompletableFuture<String> answer;

    Answer(CompletableFuture<String> answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
      answer.complete(message.toString(UTF_8));
    }
  }
}
