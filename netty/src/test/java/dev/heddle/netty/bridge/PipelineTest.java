// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.bridge.Bridge.Echo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.BlockingOperationException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Netty's pipelines on a loop of ours.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record PipelineTest(String driver) implements OnDriver {
  private static final int CLIENTS = 64;
  private static final int ROUNDS = 20;

  @Test
  void echo_of64ClientsInCoroutines_comesBack() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, channel -> channel.pipeline().addLast(new Echo()));
          List<Coroutine<?>> clients = new ArrayList<>();
          for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            clients.add(Heddle.spawn(() -> talk(loop, server, number)));
          }
          clients.forEach(Coroutine::await);
        });
  }

  private static void talk(HeddleEventLoop loop, Channel server, int number) throws Exception {
    Answers answers = new Answers();
    Channel channel =
        Bridge.connect(loop, server.localAddress(), c -> c.pipeline().addLast(answers));
    for (int round = 0; round < ROUNDS; round++) {
      String text = "client " + number + ", round " + round;
      Promise<String> answer = answers.expect(text.length());
      NettyFutures.await(channel.writeAndFlush(Bridge.bytes(text)));
      assertThat(answer.future().await()).isEqualTo(text);
    }
    NettyFutures.await(channel.close());
  }

  /// Completes a promise of the loop's from a handler.
  private static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
    private final StringBuilder text = new StringBuilder();
    private int length;
    private Promise<String> promise = Heddle.promise();

    Promise<String> expect(int characters) {
      length = characters;
      promise = Heddle.promise("an answer");
      return promise;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
      text.append(message.toString(US_ASCII));
      if (text.length() == length) {
        promise.complete(text.toString());
        text.setLength(0);
      }
    }
  }

  @Test
  void inEventLoop_isTrueInHandlersAndTasksAlone() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          assertThat(loop.inEventLoop()).isFalse();
          boolean inATask = NettyFutures.await(loop.submit(() -> loop.inEventLoop()));
          assertThat(inATask).isTrue();
          boolean elsewhere = Heddle.await(CompletableFuture.supplyAsync(loop::inEventLoop));
          assertThat(elsewhere).isFalse();
          assertThat(HeddleEventLoop.current()).isSameAs(loop).isSameAs(loop.next());
        });
  }

  @Test
  void handler_spawnsACoroutineThatWaitsAndAnswers() throws Exception {
    Bridge.run(
        driver,
        () ->
            Heddle.scope(scope -> {
              Channel server =
                  Bridge.listen(
                      HeddleEventLoop.current(),
                      channel ->
                          channel
                              .pipeline()
                              .addLast(
                                  new ChannelInboundHandlerAdapter() {
                                    @Override
                                    public void channelRead(
                                        ChannelHandlerContext ctx, Object message) {
                                      scope.spawn(() -> {
                                        Heddle.delay(Duration.ofMillis(1));
                                        NettyFutures.await(ctx.writeAndFlush(message));
                                      });
                                    }
                                  }));
              assertThat(
                      Heddle.<String>offload(() -> Bridge.exchange(server.localAddress(), "late")))
                  .isEqualTo("late");
              return null;
            }));
  }

  @Test
  void await_inAHandler_isRefusedAndSaysWhatToDo() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Promise<Throwable> refusal = Heddle.promise();
          Channel server =
              Bridge.listen(
                  loop,
                  channel ->
                      channel
                          .pipeline()
                          .addLast(
                              new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelActive(ChannelHandlerContext ctx) {
                                  NettyFutures.await(ctx.newPromise());
                                }

                                @Override
                                public void exceptionCaught(
                                    ChannelHandlerContext ctx, Throwable cause) {
                                  refusal.complete(cause);
                                }
                              }));
          Bridge.connect(loop, server.localAddress(), _ -> {});
          assertThat(refusal.future().await())
              .isInstanceOf(BlockingOperationException.class)
              .hasMessageContaining("addListener")
              .hasMessageContaining("spawn a coroutine");
          assertThatThrownBy(
                  () -> NettyFutures.await(loop.submit(() -> server.closeFuture().sync())))
              .isInstanceOf(BlockingOperationException.class);
        });
  }

  @Test
  void sync_inACoroutine_waitsForTheHandlers() {
    Bridge.run(
        driver,
        () -> {
          Channel server =
              Bridge.listen(HeddleEventLoop.current(), c -> c.pipeline().addLast(new Echo()));
          Channel client =
              Bridge.connect(HeddleEventLoop.current(), server.localAddress(), _ -> {});
          assertThat(client.writeAndFlush(Bridge.bytes("on")).sync().isSuccess()).isTrue();
          assertThat(client.close().sync().isSuccess()).isTrue();
        });
  }

  @Test
  void exception_inAHandlerOrATask_leavesTheLoopGoing() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server =
              Bridge.listen(
                  loop,
                  channel ->
                      channel
                          .pipeline()
                          .addLast(
                              new Echo(),
                              new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelInactive(ChannelHandlerContext ctx) {
                                  throw new IllegalStateException("a handler that fails");
                                }
                              }));
          loop.execute(() -> {
            throw new IllegalStateException("a task that fails");
          });
          for (int i = 0; i < 3; i++) {
            assertThat(Heddle.<String>offload(() -> Bridge.exchange(server.localAddress(), "on")))
                .isEqualTo("on");
          }
        });
  }

  @Test
  void connect_withoutAListener_failsWithTheReason() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          try (Socket deaf = new Socket()) { // nobody else gets its port
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThatThrownBy(() -> Bridge.connect(loop, deaf.getLocalSocketAddress(), _ -> {}))
                .hasRootCauseInstanceOf(java.net.ConnectException.class);
          }
        });
  }
}
