// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.OnDriver;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What becomes of Netty's channels when their loop ends and no coroutine can run any more: it has
/// failed, or its deadline is over.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record ForcedEndTest(String driver) implements OnDriver {
  private static final Duration DEADLINE = Duration.ofMillis(200);

  @Test
  void loop_thatFailsAtOnce_closesItsChannels_andTellsTheirPipelines() throws Exception {
    AtomicReference<Channel> listening = new AtomicReference<>();
    AtomicReference<Channel> accepted = new AtomicReference<>();
    Socket[] peer = new Socket[1];
    CountDownLatch inactive = new CountDownLatch(1);
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              dev.heddle.event.Promise<Void> here = Heddle.promise("accepted");
              listening.set(
                  Bridge.listen(
                      loop,
                      channel -> {
                        accepted.set(channel);
                        channel.pipeline().addLast(whenInactive(inactive::countDown));
                        here.complete(null);
                      }));
              peer[0] = Heddle.offload(() -> connect(listening.get().localAddress()));
              here.future().await();
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(listening.get().closeFuture().await(60_000)).isTrue();
    assertThat(accepted.get().closeFuture().await(60_000)).isTrue();
    inactive.await();
    assertNobodyListens(listening.get());
    assertIsOver(peer[0]);
    assertThat(accepted.get().eventLoop().terminationFuture().await(60_000)).isTrue();
  }

  @Test
  void loop_thatFailsWithAHandlerThatWaits_endsAndListensNoMore() throws Exception {
    AtomicReference<Channel> listening = new AtomicReference<>();
    Semaphore nobodys = new Semaphore(0);
    assertThatThrownBy(() ->
            runOut(() -> {
              listening.set(Bridge.listen(HeddleEventLoop.current(), _ -> {}));
              listening.get().pipeline().addLast(whenInactive(nobodys::acquireUninterruptibly));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertNobodyListens(listening.get());
    nobodys.release(); // who waited goes on, on a thread of his own
    assertThat(listening.get().eventLoop().terminationFuture().await(60_000)).isTrue();
  }

  @Test
  void loop_thatFailsWithATaskThatWantsALockOfACoroutineLeftBehind_ends() throws Exception {
    AtomicReference<Channel> listening = new AtomicReference<>();
    ReentrantLock lock = new ReentrantLock();
    Semaphore never = new Semaphore(0);
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              listening.set(Bridge.listen(loop, _ -> {}));
              var _ =
                  Heddle.spawn(() -> {
                    lock.lock();
                    never.acquireUninterruptibly();
                    return null;
                  });
              Heddle.suspend();
              loop.execute(lock::lock);
              loop.execute(lock::lock);
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertNobodyListens(listening.get());
  }

  @Test
  void loop_whoseTurnDoesNotComeBackByItsDeadline_endsAndListensNoMore() throws Exception {
    AtomicReference<Channel> listening = new AtomicReference<>();
    AtomicReference<Channel> accepted = new AtomicReference<>();
    Semaphore never = new Semaphore(0);
    Socket[] peer = new Socket[1];
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              dev.heddle.event.Promise<Void> here = Heddle.promise("accepted");
              listening.set(
                  Bridge.listen(
                      loop,
                      channel -> {
                        accepted.set(channel);
                        here.complete(null);
                      }));
              peer[0] = Heddle.offload(() -> connect(listening.get().localAddress()));
              here.future().await();
              loop.execute(never::acquireUninterruptibly);
              Heddle.suspend();
              throw new IllegalStateException("main fails");
            }))
        .hasMessage("main fails");
    assertNobodyListens(listening.get());
    assertIsOver(peer[0]);
    assertThat(accepted.get().closeFuture().await(60_000)).isTrue();
    assertThat(listening.get().eventLoop().terminationFuture().await(60_000)).isTrue();
  }

  @Test
  void loop_thatFails_givesBackThePortOfADatagramChannel() throws Exception {
    AtomicReference<Channel> bound = new AtomicReference<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              ChannelFuture opened =
                  new Bootstrap()
                      .group(loop)
                      .channel(loop.datagramChannelType())
                      .handler(new ChannelInboundHandlerAdapter())
                      .bind(InetAddress.getLoopbackAddress(), 0);
              bound.set(dev.heddle.netty.NettyFutures.await(opened));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(bound.get().closeFuture().await(60_000)).isTrue();
    new DatagramSocket(bound.get().localAddress()).close(); // it remembers where it was
  }

  private static ChannelInboundHandlerAdapter whenInactive(Runnable action) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        action.run();
      }
    };
  }

  private static void failForGood() {
    throw new OutOfMemoryError("invented: such a failure ends a loop at once");
  }

  private void runOut(dev.heddle.Action main) {
    Heddle.run(HeddleOptions.defaults().withDriver(driver).withShutdownDeadline(DEADLINE), main);
  }

  private static void assertNobodyListens(Channel channel) {
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> connect(channel.localAddress()).close()) // it remembers where it was
        .isInstanceOf(ConnectException.class);
  }

  private static void assertIsOver(Socket peer) throws IOException {
    try (peer) {
      assertThat(peer.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static Socket connect(SocketAddress to) throws IOException {
    InetSocketAddress at = (InetSocketAddress) to;
    return new Socket(at.getAddress(), at.getPort());
  }
}
