// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.bridge.Bridge.Echo;
import dev.heddle.observe.LoopCounters;
import dev.heddle.thread.RemotePromise;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Netty's handlers and tasks that wait for a lock: the loop goes on, nobody enters the pipeline
/// meanwhile, and what comes waits in order.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record HandlersThatLockTest(String driver) implements OnDriver {
  private static final int WRITERS = 20;
  private static final String QUIET = "quiet"; // name of a loop
  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

  @Test
  void lockThatACoroutineHolds_metByATask_doesNotStopTheLoop() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Object monitor = new Object();
          ReentrantLock lock = new ReentrantLock();
          Promise<Void> held = Heddle.promise("both are held");
          Promise<Void> release = Heddle.promise("they may be given back");
          Coroutine<?> holder =
              Heddle.spawn(() -> {
                synchronized (monitor) {
                  lock.lock();
                  held.complete(null);
                  release.future().await();
                  lock.unlock();
                }
              });
          held.future().await();
          List<String> ran = new ArrayList<>();
          var byMonitor =
              loop.submit(() -> {
                synchronized (monitor) {
                  ran.add("monitor");
                }
              });
          var byLock =
              loop.submit(() -> {
                lock.lock();
                ran.add("lock");
                lock.unlock();
              });
          echoByHandlesOfOurs();
          assertThat(ran).isEmpty();
          release.complete(null);
          NettyFutures.await(byMonitor);
          NettyFutures.await(byLock);
          assertThat(ran).containsExactly("monitor", "lock");
          holder.await();
        });
  }

  /// The reactor is alive.
  private static void echoByHandlesOfOurs() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Listener listener = Tcp.listen(any);
        StreamSocket client = Tcp.connect(listener.localAddress());
        StreamSocket server = listener.accept()) {
      Coroutine<Integer> reader = Heddle.spawn(() -> server.read(ByteBuffer.allocate(1)));
      client.write(ByteBuffer.allocate(1));
      assertThat(reader.await()).isEqualTo(1);
    }
  }

  /// As an encoder does whose allocator waits for another thread.
  private static final class SlowEncoder extends ChannelOutboundHandlerAdapter {
    final CountDownLatch mayGoOn = new CountDownLatch(1);
    final RemotePromise<Void> parked = new RemotePromise<>("the first write waits");
    final List<Object> written = new ArrayList<>();
    boolean inside;
    boolean enteredTwice;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
        throws InterruptedException {
      enteredTwice |= inside;
      inside = true;
      var _ = parked.tryComplete(null);
      mayGoOn.await();
      written.add(message);
      inside = false;
      ctx.write(Bridge.bytes((String) message), promise);
    }
  }

  @Test
  void pipelineWhoseHandlerIsParked_isNotEnteredByAnotherThread() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, c -> c.pipeline().addLast(new Echo()));
          SlowEncoder encoder = new SlowEncoder();
          Channel client =
              Bridge.connect(loop, server.localAddress(), c -> c.pipeline().addLast(encoder));
          List<String> sent = new ArrayList<>();
          List<Coroutine<?>> writers = new ArrayList<>();
          for (int i = 0; i < WRITERS; i++) {
            String text = "message " + i;
            sent.add(text);
            writers.add(Heddle.spawn(() -> NettyFutures.await(client.writeAndFlush(text))));
          }
          encoder.parked.future().await();
          echoByHandlesOfOurs();
          encoder.mayGoOn.countDown();
          writers.forEach(Coroutine::await);
          assertThat(encoder.enteredTwice).isFalse();
          assertThat(encoder.written).isEqualTo(sent);
        });
  }

  /// Waits at its first message.
  private static final class SlowReader extends SimpleChannelInboundHandler<ByteBuf> {
    final CountDownLatch mayGoOn = new CountDownLatch(1);
    final RemotePromise<Void> parked = new RemotePromise<>("the first read waits");
    final RemotePromise<String> all = new RemotePromise<>("all is read");
    private final StringBuilder text = new StringBuilder();

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message)
        throws InterruptedException {
      var _ = parked.tryComplete(null);
      mayGoOn.await();
      text.append(message.toString(US_ASCII));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      var _ = all.tryComplete(text.toString());
    }
  }

  @Test
  void whatComesWhileAHandlerIsParked_waitsInOrder_andTheLoopSleeps() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          List<SlowReader> readers = new ArrayList<>();
          Channel server =
              Bridge.listen(
                  loop,
                  channel -> {
                    SlowReader reader = new SlowReader();
                    readers.add(reader);
                    channel.pipeline().addLast(reader);
                  });
          InetSocketAddress at = (InetSocketAddress) server.localAddress();
          Socket peer = Heddle.offload(() -> new Socket(at.getAddress(), at.getPort()));
          peer.getOutputStream().write('0');
          while (readers.isEmpty()) {
            Heddle.delay(Duration.ofMillis(1));
          }
          SlowReader first = readers.getFirst();
          first.parked.future().await();
          Socket another = Heddle.offload(() -> new Socket(at.getAddress(), at.getPort()));
          for (int i = 1; i < 10; i++) {
            peer.getOutputStream().write('0' + i);
          }
          peer.close(); // which is told, too
          Heddle.delay(Duration.ofMillis(5)); // all of it is there
          long looks = looks();
          Heddle.delay(Duration.ofMillis(50));
          assertThat(looks() - looks).isLessThan(20);
          first.mayGoOn.countDown();
          assertThat(first.all.future().await()).isEqualTo("0123456789");
          another.close();
        });
  }

  private static long looks() {
    LoopCounters counters = Heddle.counters();
    return counters.polls() + counters.sleeps();
  }

  @Test
  void bytesAndTheirEnd_thatComeWhileATaskIsParked_areBothReported() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, c -> c.pipeline().addLast(new Echo()));
          InetSocketAddress at = (InetSocketAddress) server.localAddress();
          Socket peer = Heddle.offload(() -> new Socket(at.getAddress(), at.getPort()));
          peer.setSoTimeout(60_000); // as long as a test may take that hangs
          peer.getOutputStream().write('a');
          assertThat(peer.getInputStream().read()).isEqualTo('a'); // the channel reads
          CountDownLatch mayGoOn = new CountDownLatch(1);
          RemotePromise<Void> parked = new RemotePromise<>("a task waits");
          loop.execute(() -> {
            parked.complete(null);
            await(mayGoOn);
          });
          parked.future().await();
          peer.getOutputStream().write('b');
          peer.shutdownOutput();
          Heddle.delay(Duration.ofMillis(5)); // both were told
          mayGoOn.countDown();
          assertThat(peer.getInputStream().read()).isEqualTo('b');
          assertThat(peer.getInputStream().read()).isEqualTo(-1);
          peer.close();
        });
  }

  @Test
  void channelThatWasNotified_whileAHandlerWasParked_isNotifiedAgain() {
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Channel server = Bridge.listen(loop, c -> c.pipeline().addLast(new Echo()));
          InetSocketAddress at = (InetSocketAddress) server.localAddress();
          Socket peer = Heddle.offload(() -> new Socket(at.getAddress(), at.getPort()));
          for (int i = 0; i < 3; i++) {
            CountDownLatch mayGoOn = new CountDownLatch(1);
            RemotePromise<Void> parked = new RemotePromise<>("a task waits");
            loop.execute(() -> {
              parked.complete(null);
              await(mayGoOn);
            });
            parked.future().await();
            peer.getOutputStream().write('0' + i);
            Heddle.delay(Duration.ofMillis(5)); // told, told again, muted
            mayGoOn.countDown();
            assertThat(peer.getInputStream().read()).isEqualTo('0' + i);
          }
          peer.close();
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void coroutineThatWaitsForAHandlerOfAChannelRegisteredByItsUnsafe_isNoDeadlock()
      throws Exception {
    Channel[] left = new Channel[1];
    try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Heddle.run(
          HeddleOptions.defaults().withDriver(driver).withName(QUIET),
          () -> {
            HeddleEventLoop loop = HeddleEventLoop.current();
            Promise<String> told = Heddle.promise("a handler tells");
            Channel channel = loop.channelType().getConstructor().newInstance();
            left[0] = channel;
            channel
                .pipeline()
                .addLast(
                    new SimpleChannelInboundHandler<ByteBuf>() {
                      @Override
                      protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                        told.complete(message.toString(US_ASCII));
                      }
                    });
            DefaultChannelPromise registered = new DefaultChannelPromise(channel, loop);
            channel.unsafe().register(loop, registered);
            NettyFutures.await(registered);
            NettyFutures.await(channel.connect(peer.getLocalSocketAddress()));
            Thread.ofPlatform().start(() -> sayHelloToAQuietLoop(peer));
            assertThat(told.future().await()).isEqualTo("hello");
          });
      assertThat(left[0].isOpen()).isFalse();
    }
  }

  private static void sayHelloToAQuietLoop(ServerSocket peer) {
    try {
      OutputStream out = peer.accept().getOutputStream();
      awaitSleep(); // the loop has nothing left but the channel, and has noticed
      out.write("hello".getBytes(US_ASCII));
    } catch (IOException | JMException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitSleep() throws JMException {
    ObjectName loop = new ObjectName("dev.heddle:type=Loop,name=" + QUIET);
    while (!BEANS.isRegistered(loop) || !BEANS.getAttribute(loop, "State").equals("asleep")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void channelWhoseHandlerKeepsCloseToItself_isClosedBeforeTheLoopsDeadline() {
    List<Thread> closers = new ArrayList<>();
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver).withShutdownDeadline(Duration.ofSeconds(20)),
        () -> {
          Channel server = Bridge.listen(HeddleEventLoop.current(), _ -> {});
          server.closeFuture().addListener(_ -> closers.add(Thread.currentThread()));
          server
              .pipeline()
              .addLast(
                  new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                      // and that is all
                    }
                  });
        });
    // a coroutine of the loop: behind the deadline it would have been a thread of its own
    assertThat(closers).singleElement().matches(Thread::isVirtual, "a coroutine's");
  }
}
