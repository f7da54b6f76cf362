// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.OnDriver;
import dev.heddle.ports.TestPorts;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
                  listen(
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
    assertNoListener(listening.get());
    assertIsOver(peer[0]);
    assertThat(accepted.get().eventLoop().terminationFuture().await(60_000)).isTrue();
  }

  @Test
  void loop_thatFailsWithAHandlerThatWaits_endsAndListensNoMore() throws Exception {
    AtomicReference<Channel> listening = new AtomicReference<>();
    Semaphore nobodys = new Semaphore(0);
    assertThatThrownBy(() ->
            runOut(() -> {
              listening.set(listen(HeddleEventLoop.current(), _ -> {}));
              listening.get().pipeline().addLast(whenInactive(nobodys::acquireUninterruptibly));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertNoListener(listening.get());
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
              listening.set(listen(loop, _ -> {}));
              var _ =
                  Heddle.spawn(() -> {
                    lock.lock();
                    never.acquireUninterruptibly();
                    return null;
                  });
              Heddle.yieldNow();
              loop.execute(lock::lock);
              loop.execute(lock::lock);
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertNoListener(listening.get());
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
                  listen(
                      loop,
                      channel -> {
                        accepted.set(channel);
                        here.complete(null);
                      }));
              peer[0] = Heddle.offload(() -> connect(listening.get().localAddress()));
              here.future().await();
              loop.execute(never::acquireUninterruptibly);
              Heddle.yieldNow();
              throw new IllegalStateException("main fails");
            }))
        .hasMessage("main fails");
    assertRefused(listening.get());
    assertIsOver(peer[0]);
    assertThat(listening.get().eventLoop().isTerminated()).isFalse();

    never.release(); // the pipelines are told when nobody is in them any more
    assertThat(accepted.get().closeFuture().await(60_000)).isTrue();
    assertThat(listening.get().eventLoop().terminationFuture().await(60_000)).isTrue();
    assertNoListener(listening.get());
  }

  @Test
  void turnThatIsLeftBehind_neverWritesToWhoHasTheNumberOfItsDescriptorNow() throws Exception {
    Semaphore lock = new Semaphore(0, true);
    AtomicReference<Channel> accepted = new AtomicReference<>();
    Socket[] peer = new Socket[1];
    assertThatThrownBy(() ->
            runOut(() -> {
              dev.heddle.event.Promise<Void> parked = Heddle.promise("parked");
              Channel listening =
                  listen(
                      HeddleEventLoop.current(),
                      channel -> {
                        accepted.set(channel);
                        answerAndPark(channel, lock, () -> parked.complete(null));
                      });
              peer[0] = Heddle.offload(() -> connect(listening.localAddress()));
              peer[0].getOutputStream().write('?');
              parked.future().await();
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    try (Connections others = Connections.open(40)) {
      lock.release();
      assertThat(accepted.get().eventLoop().terminationFuture().await(60_000)).isTrue();
      others.assertSilent();
    }
    peer[0].close();
  }

  /// Its first answer is told to have left; in the middle of that it asks for the second, and
  /// waits.
  private static void answerAndPark(Channel channel, Semaphore lock, Runnable parked) {
    var _ =
        channel
            .closeFuture()
            .addListener(_ -> { // holds up whoever closes the channel, too
              lock.acquireUninterruptibly();
              lock.release();
            });
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                ReferenceCountUtil.release(message);
                var _ =
                    ctx.writeAndFlush(Unpooled.copiedBuffer("first", US_ASCII))
                        .addListener(_ -> {
                          var _ = ctx.writeAndFlush(Unpooled.copiedBuffer("second", US_ASCII));
                          parked.run();
                          lock.acquireUninterruptibly();
                          lock.release();
                        });
              }
            });
  }

  /// Connections of others, made when the loop has ended: they get the numbers that it gave back.
  private record Connections(ServerSocket listener, List<Socket> ends) implements AutoCloseable {
    static Connections open(int count) throws IOException {
      var listener = new ServerSocket(0, count, InetAddress.getLoopbackAddress());
      List<Socket> ends = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ends.add(connect(listener.getLocalSocketAddress()));
        ends.add(listener.accept());
      }
      return new Connections(listener, ends);
    }

    /// Each end says one byte, and that is all its other end gets.
    void assertSilent() throws IOException {
      for (Socket end : ends) {
        end.getOutputStream().write('.');
        end.shutdownOutput();
      }
      for (Socket end : ends) {
        assertThat(new String(end.getInputStream().readAllBytes(), US_ASCII)).isEqualTo(".");
      }
    }

    @Override
    public void close() throws IOException {
      for (Socket end : ends) {
        end.close();
      }
      listener.close();
    }
  }

  @Test
  void loop_thatEndsWhileATurnOfItsClosesChannels_closesTheRest() throws Exception {
    int count = 300;
    Semaphore gate = new Semaphore(0);
    List<Channel> all = new ArrayList<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              for (int i = 0; i < count; i++) {
                all.add(bindDatagram(loop));
              }
              loop.execute(() -> {
                gate.acquireUninterruptibly();
                all.forEach(channel -> channel.unsafe().close(channel.voidPromise()));
              });
              Heddle.yieldNow();
              Thread.ofPlatform().daemon().start(gate::release); // about when the loop ends
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    for (Channel channel : all) {
      assertThat(channel.closeFuture().await(60_000)).isTrue();
    }
    assertThat(all.getFirst().eventLoop().terminationFuture().await(60_000)).isTrue();
  }

  @Test
  void handlerThatWaits_isReported_withWhereItWaits() throws Exception {
    Semaphore nobodys = new Semaphore(0);
    try (LogRecords log = LogRecords.open()) {
      assertThatThrownBy(() ->
              runOut(() -> {
                HeddleEventLoop loop = HeddleEventLoop.current();
                var _ = bindDatagram(loop);
                loop.execute(nobodys::acquireUninterruptibly);
                Heddle.yieldNow();
                failForGood();
              }))
          .isInstanceOf(OutOfMemoryError.class);
      assertThat(log.await("is not notified of its end"))
          .contains("Semaphore.acquireUninterruptibly");
    } finally {
      nobodys.release();
    }
  }

  /// Nobody else listens there afterwards.
  private static Channel listen(HeddleEventLoop loop, Consumer<Channel> initializer)
      throws IOException {
    return Bridge.listen(loop, loopback(TestPorts.next()), initializer);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static Channel bindDatagram(HeddleEventLoop loop) throws Exception {
    return bindDatagram(loop, loopback(0));
  }

  private static Channel bindDatagram(HeddleEventLoop loop, InetSocketAddress address)
      throws Exception {
    ChannelFuture opened =
        new Bootstrap()
            .group(loop)
            .channel(loop.datagramChannelType())
            .handler(new ChannelInboundHandlerAdapter())
            .bind(address);
    return dev.heddle.netty.NettyFutures.await(opened);
  }

  @Test
  void loop_thatFails_givesBackThePortOfADatagramChannel() throws Exception {
    AtomicReference<Channel> bound = new AtomicReference<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              int port = TestPorts.nextForDatagrams();
              bound.set(bindDatagram(HeddleEventLoop.current(), loopback(port)));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(bound.get().closeFuture().await(60_000)).isTrue();
    new DatagramSocket(bound.get().localAddress()).close(); // it remembers where it was
  }

  @Test
  void closeThatIsAskedForWhileTheLastTurnCloses_isAnswered() throws Exception {
    BlockingQueue<ChannelFuture> asked = new LinkedBlockingQueue<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              Channel one = bindDatagram(HeddleEventLoop.current());
              Channel other = bindDatagram(HeddleEventLoop.current());
              one.closeFuture().addListener(_ -> asked.add(other.close()));
              other.closeFuture().addListener(_ -> asked.add(one.close()));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(asked.take().await(60_000)).isTrue();
    assertThat(asked.take().await(60_000)).isTrue();
  }

  @Test
  void clientThatIsAcceptedWhileTheLoopEnds_isHungUpOn() throws Exception {
    Semaphore gate = new Semaphore(0);
    List<Socket> clients = new ArrayList<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              HeddleEventLoop loop = HeddleEventLoop.current();
              Channel listening = listen(loop, _ -> {});
              loop.execute(gate::acquireUninterruptibly);
              Heddle.yieldNow();
              Heddle.offload(() -> {
                for (int i = 0; i < 50; i++) {
                  clients.add(connect(listening.localAddress()));
                }
                return null;
              });
              Heddle.delay(
                  Duration.ofMillis(1)); // a look: where there is a ring it has accepted them
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    gate.release();
    for (Socket client : clients) {
      assertIsHungUp(client);
    }
  }

  @Test
  void peerThatReadsNothing_doesNotHoldUpTheEnd_howeverLongItsConnectionLingers() throws Exception {
    AtomicReference<Channel> accepted = new AtomicReference<>();
    Socket[] peer = new Socket[1];
    assertThatThrownBy(() ->
            runOut(() -> {
              dev.heddle.event.Promise<Void> here = Heddle.promise("accepted");
              Channel listening =
                  listen(
                      HeddleEventLoop.current(),
                      channel -> {
                        accepted.set(channel);
                        channel.config().setOption(ChannelOption.SO_LINGER, 3600);
                        var _ = channel.writeAndFlush(Unpooled.buffer().writeZero(10_000_000));
                        here.complete(null);
                      });
              peer[0] = Heddle.offload(() -> connect(listening.localAddress()));
              here.future().await();
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(accepted.get().closeFuture().await(60_000)).isTrue();
    peer[0].close();
  }

  private static void assertIsHungUp(Socket client) throws IOException {
    try (client) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException _) {
      // it was reset, or is not known to anybody: there is no connection any more
    }
  }

  @Test
  void listenerThatIsSharedWithAnotherProcess_goesOnListeningThere() throws Exception {
    assumeFalse(driver.equals("nio"), "the JDK does not tell the number of a channel's descriptor");
    AtomicReference<Channel> listening = new AtomicReference<>();
    AtomicReference<FileDescriptor> others = new AtomicReference<>();
    assertThatThrownBy(() ->
            runOut(() -> {
              listening.set(listen(HeddleEventLoop.current(), _ -> {}));
              others.set(duplicateOf(listening.get()));
              failForGood();
            }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(listening.get().closeFuture().await(60_000)).isTrue();
    connect(listening.get().localAddress()).close();
    others.get().close();
    assertNoListener(listening.get());
  }

  /// Another descriptor of the same socket, as a child or a server of sockets has it.
  @SuppressWarnings("restricted") // a call of the system's
  private static FileDescriptor duplicateOf(Channel channel) {
    try {
      MethodHandle dup =
          Linker.nativeLinker()
              .downcallHandle(
                  Linker.nativeLinker().defaultLookup().findOrThrow("dup"),
                  FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
      return new FileDescriptor((int) dup.invokeExact(((UnixChannel) channel).fd().intValue()));
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
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

  private static void assertNoListener(Channel channel) {
    assertThat(channel.isOpen()).isFalse();
    assertRefused(channel);
  }

  private static void assertRefused(Channel channel) {
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
