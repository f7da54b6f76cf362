// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of Netty on a loop shows.
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NettySnippetsTest {
  private static final InetSocketAddress LOOPBACK =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @Test
  void serverAndClient() {
    InetSocketAddress address = LOOPBACK;
    Heddle.run(() ->
        Heddle.scope(requests -> {
          // @start region=server
          HeddleEventLoop loop = HeddleEventLoop.current();
          ServerBootstrap bootstrap = new ServerBootstrap().group(loop);
          bootstrap.channel(loop.serverChannelType());
          bootstrap.childHandler(
              new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                  channel
                      .pipeline()
                      .addLast(
                          new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                              requests.spawn(() -> { // a handler must not wait, a coroutine may
                                Heddle.delay(Duration.ofMillis(1));
                                NettyFutures.await(ctx.writeAndFlush(message));
                              });
                            }
                          });
                }
              });
          Channel server = NettyFutures.await(bootstrap.bind(address));
          // @end
          assertThat(echoed((InetSocketAddress) server.localAddress())).isEqualTo("hello");
          return null;
        }));
  }

  private static String echoed(InetSocketAddress address) {
    // @start region=client
    HeddleEventLoop loop = HeddleEventLoop.current();
    Promise<String> answer = Heddle.promise("the answer");
    Bootstrap bootstrap = new Bootstrap().group(loop).channel(loop.channelType());
    bootstrap.handler(
        new SimpleChannelInboundHandler<ByteBuf>() {
          @Override
          protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
            answer.complete(bytes.toString(UTF_8));
          }
        });
    Deadline deadline = Deadline.after(Duration.ofSeconds(30));
    Channel channel = NettyFutures.await(bootstrap.connect(address), deadline);
    NettyFutures.await(channel.writeAndFlush(Unpooled.copiedBuffer("hello", UTF_8)), deadline);
    String text = answer.future().await(deadline);
    NettyFutures.await(channel.close());
    // @end
    return text;
  }
}
