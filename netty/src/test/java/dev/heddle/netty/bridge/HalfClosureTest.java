// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Channels whose clients have sent all and still wait for answers.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record HalfClosureTest(String driver) implements OnDriver {
  @Test
  void channel_thatReadsOnBehindTheEndOfItsInput_stillAnswers() {
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver),
        () -> {
          Channel listening = listen(AnswersLate::new);
          assertThat(Heddle.offload(() -> ask((InetSocketAddress) listening.localAddress())))
              .isEqualTo("bye");
        });
  }

  @Test
  void channel_thatIsResetBehindItsLastBytes_hearsOfIt() {
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver),
        () -> {
          Promise<Void> active = Heddle.promise("active");
          Promise<Void> reset = Heddle.promise("reset");
          Channel listening = listen(() -> new HearsOfResets(active, reset));
          InetSocketAddress server = (InetSocketAddress) listening.localAddress();
          Socket client = Heddle.offload(() -> new Socket(server.getAddress(), server.getPort()));
          active.future().await();
          Thread resetter = Thread.ofPlatform().start(() -> sendAndReset(client));
          while (resetter.isAlive()) {
            Thread.onSpinWait(); // the loop's next look finds the bytes and the reset
          }
          reset.future().await();
        });
  }

  private static void sendAndReset(Socket client) {
    try (client) {
      client.getOutputStream().write('?');
      client.setSoLinger(true, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class HearsOfResets extends ChannelInboundHandlerAdapter {
    private final Promise<Void> active;
    private final Promise<Void> reset;

    HearsOfResets(Promise<Void> active, Promise<Void> reset) {
      this.active = active;
      this.reset = reset;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      active.complete(null);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      reset.complete(null);
    }
  }

  private static Channel listen(Supplier<ChannelHandler> handler) throws Exception {
    HeddleEventLoop loop = HeddleEventLoop.current();
    return NettyFutures.await(
        new ServerBootstrap()
            .group(loop)
            .channel(loop.serverChannelType())
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handler.get());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0));
  }

  private static String ask(InetSocketAddress server) throws Exception {
    try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
      socket.getOutputStream().write('?');
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  /// Pauses its reading, as one that has enough to do.
  private static final class AnswersLate extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.channel().config().setAutoRead(false);
      ctx.executor().execute(() -> ctx.channel().config().setAutoRead(true));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof ChannelInputShutdownEvent) {
        ctx.channel().config().setAutoRead(false);
        ctx.executor().execute(() -> answer(ctx));
      }
    }

    private static void answer(ChannelHandlerContext ctx) {
      ctx.channel().config().setAutoRead(true);
      ctx.executor()
          .execute(() ->
              ctx.writeAndFlush(Unpooled.copiedBuffer("bye", US_ASCII))
                  .addListener(ChannelFutureListener.CLOSE));
    }
  }
}
