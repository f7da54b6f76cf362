// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.bridge.Bridge.Echo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What becomes of Netty's channels and tasks when the loop, or the event loop on it, ends.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record EventLoopEndTest(String driver) implements OnDriver {
  @Test
  void loop_thatEnds_closesChannelsAndRejectsTasks() throws Exception {
    List<Object> seen = new ArrayList<>();
    AtomicReference<HeddleEventLoop> used = new AtomicReference<>();
    AtomicReference<Channel> listening = new AtomicReference<>();
    Socket[] peer = new Socket[1];
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          used.set(loop);
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
                                  seen.add("inactive");
                                }
                              }));
          listening.set(server);
          InetSocketAddress at = (InetSocketAddress) server.localAddress();
          peer[0] =
              Heddle.offload(() -> {
                Socket socket = new Socket(at.getAddress(), at.getPort());
                socket.getOutputStream().write('x');
                socket.getInputStream().read();
                return socket;
              });
          loop.schedule(() -> seen.add("never"), 1, TimeUnit.DAYS);
          loop.execute(() -> seen.add("queued"));
        });
    assertThat(seen).containsExactlyInAnyOrder("queued", "inactive");
    assertThat(listening.get().isOpen()).isFalse();
    assertThat(peer[0].getInputStream().read()).isEqualTo(-1);
    peer[0].close();
    assertThat(used.get().isTerminated()).isTrue();
    assertThatThrownBy(() -> used.get().execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("has ended");
  }

  @Test
  void loop_thatFails_closesChannels() {
    AtomicReference<Channel> listening = new AtomicReference<>();
    assertThatThrownBy(() ->
            Bridge.run(
                driver,
                () -> {
                  listening.set(Bridge.listen(HeddleEventLoop.current(), _ -> {}));
                  throw new IllegalStateException("main fails");
                }))
        .hasMessage("main fails");
    assertThat(listening.get().isOpen()).isFalse();
  }

  @Test
  void shutdownGracefully_endsThisOneAndMakesRoomForTheNext() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, _ -> {});
          NettyFutures.await(loop.shutdownGracefully());
          assertThat(server.isOpen()).isFalse();
          assertThat(loop.isTerminated()).isTrue();
          assertThatThrownBy(() -> Bridge.listen(loop, _ -> {}))
              .hasMessageContaining("has ended")
              .hasMessageContaining("keep a coroutine waiting");

          HeddleEventLoop next = HeddleEventLoop.current();
          assertThat(next).isNotSameAs(loop);
          assertThat(Bridge.listen(next, _ -> {}).isOpen()).isTrue();
        });
  }

  @Test
  void channel_whoseHandlerKeepsCloseToItself_isClosedByForce() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, _ -> {});
          server
              .pipeline()
              .addLast(
                  new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                      // and that is all
                    }
                  });
          NettyFutures.await(loop.shutdownGracefully(0, 1, TimeUnit.MILLISECONDS));
          assertThat(server.isOpen()).isFalse();
          assertThat(server.closeFuture().isDone()).isTrue();
        });
  }

  @Test
  void channel_thatRegistersWhileTheEventLoopEnds_isRefusedAndClosed() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel channel = loop.channelType().getConstructor().newInstance();
          Channel slow = whoEndsTheLoopWhileItRegisters(channel, loop);
          ChannelFuture registered =
              Heddle.offload(() -> loop.register(new DefaultChannelPromise(slow, loop)));
          assertThat(registered.cause()).isInstanceOf(RejectedExecutionException.class);
          assertThat(channel.isOpen()).isFalse();
          assertThat(loop.isTerminated()).isTrue();
        });
  }

  /// `channel`, to whom it happens that the event loop ends after it was asked and before it knows.
  private static Channel whoEndsTheLoopWhileItRegisters(Channel channel, HeddleEventLoop loop) {
    return (Channel)
        Proxy.newProxyInstance(
            EventLoopEndTest.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (_, method, arguments) -> {
              if (method.getName().equals("unsafe")) {
                loop.shutdownGracefully().get();
              }
              return method.invoke(channel, arguments);
            });
  }

  @Test
  void coroutine_thatOnlyAHandlerCouldWake_isNoDeadlockWhileAChannelIsOpen() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          dev.heddle.event.Promise<String> told = Heddle.promise("told");
          Channel server = Bridge.listen(loop, channel -> told.complete("somebody came"));
          InetSocketAddress at = (InetSocketAddress) server.localAddress();
          Thread.ofPlatform().start(() -> Bridge.visit(at));
          assertThat(told.future().await()).isEqualTo("somebody came");
        });
  }

  @Test
  void coroutine_thatCannotBeWoken_isADeadlockWhenNoChannelIsOpen() {
    assertThatThrownBy(() ->
            Bridge.run(
                driver,
                () -> {
                  Channel server = Bridge.listen(HeddleEventLoop.current(), _ -> {});
                  NettyFutures.await(server.close());
                  Heddle.promise("never").future().await();
                }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  void current_withoutNettyInTheDriver_saysWhichHave() {
    Heddle.run(
        HeddleOptions.defaults().withDriver("jdk"),
        () ->
            assertThatThrownBy(HeddleEventLoop::current)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("jdk")
                .hasMessageContaining("auto"));
  }

  @Test
  void eventLoop_thatEndsWhileItsFirstChannelRegisters_leavesTheLoopGoing() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel channel = loop.channelType().getConstructor().newInstance();
          ChannelFuture registered = loop.register(new DefaultChannelPromise(channel, loop));
          NettyFutures.await(loop.shutdownGracefully());
          Heddle.delay(Duration.ofMillis(1));
          assertThat(registered.isDone()).isTrue();
          assertThat(channel.isOpen()).isFalse();
          assertThat(Bridge.listen(HeddleEventLoop.current(), _ -> {}).isOpen()).isTrue();
        });
  }

  @Test
  void turnThatCannotBeWoken_whileAChannelIsOpen_isADeadlock() {
    assertThatThrownBy(() ->
            Bridge.run(
                driver,
                () -> {
                  HeddleEventLoop loop = HeddleEventLoop.current();
                  Bridge.listen(loop, _ -> {});
                  dev.heddle.event.Promise<Void> never = Heddle.promise("never");
                  loop.execute(() -> never.future().await());
                  never.future().await();
                }))
        .isInstanceOf(DeadlockError.class);
  }
}
