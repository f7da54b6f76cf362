// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// However a ring closes, no thread of the kernel works for it then.
///
/// Such a thread would have been given the read of the ring's eventfd: it began after the close,
/// took eight bytes from another descriptor, and wrote them to freed memory. The kernel starts
/// these threads for the thread that uses the ring, before `io_uring_enter` returns, and lets them
/// live for seconds: so they are there to be seen right after the close.
@Tag("T14")
@Tag("T15")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RingCloseTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final byte POLL_ADD = 6;
  private static final int ECANCELED = -125;
  private static final AtomicInteger COUNT = new AtomicInteger();

  @BeforeEach
  void requireRing() {
    OnDriver.require(UringDriver.NAME);
  }

  // ---- the threads of the kernel ----

  private interface Story {
    void tell() throws Exception;
  }

  /// Tells it on a thread that has used no ring before.
  private static void assertNoKernelThreadAfter(Story story) throws Exception {
    FutureTask<List<String>> task =
        new FutureTask<>(() -> {
          story.tell();
          return kernelThreads();
        });
    Thread.ofPlatform().name("ring-" + COUNT.incrementAndGet()).start(task);
    assertThat(task.get()).isEmpty();
  }

  /// Those that work for this thread: named after it once they run. Before, they are named like it.
  private static List<String> kernelThreads() throws IOException {
    String here = Path.of("/proc/thread-self").toRealPath().getFileName().toString();
    String own = Thread.currentThread().getName();
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : all) {
        String name = nameOf(task);
        while (name.equals(own) && !task.endsWith(here)) {
          Thread.onSpinWait(); // also one of Java that this thread has started: until it runs
          name = nameOf(task);
        }
        if (name.equals("iou-wrk-" + here)) {
          found.add(name);
        }
      }
    }
    return found;
  }

  private static String nameOf(Path task) throws IOException {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (NoSuchFileException _) {
      return "ended";
    }
  }

  // ---- drivers ----

  private interface Use {
    void of(UringDriver driver) throws Exception;
  }

  private static void assertNoKernelThreadAfterCloseOf(Use use) throws Exception {
    assertNoKernelThreadAfter(() -> {
      Thread here = Thread.currentThread();
      UringDriver driver = new UringDriver(thread -> thread == here);
      use.of(driver);
      driver.close();
    });
  }

  private static ListenerDescriptor waitAtAListener(UringDriver driver) throws IOException {
    ListenerDescriptor listener = driver.openListener(StandardProtocolFamily.INET6);
    listener.bind(ANY, 4);
    listener.arm(Direction.READ, _ -> {});
    sleep(driver);
    return listener;
  }

  private static void sleep(UringDriver driver) {
    driver.handler().open();
    for (int i = 0; i < 3; i++) {
      driver.poll(System.nanoTime() + 1_000_000); // has its eventfd read meanwhile
    }
  }

  /// An operation that nobody cancels.
  private static void leaveAnOperation(UringDriver driver) throws Exception {
    leaveAnOperation(driver.handler().open());
    driver.poll(ReactorDriver.NO_WAIT);
  }

  private static void leaveAnOperation(IoHandler ring) throws Exception {
    ring.register(new Forgotten()).submit(pollOfAQuietPipe());
  }

  private static IoOps pollOfAQuietPipe() throws IOException {
    int quiet = FileDescriptor.pipe()[0].intValue(); // until the JVM ends
    return RingOperation.submission(POLL_ADD, (byte) 0, quiet, 0, 0, 0, UnixDescriptor.IN, 0);
  }

  private static final class Forgotten implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {}

    @Override
    public void close() {}
  }

  @Test
  void close_ofARingThatHasNeverSlept() throws Exception {
    assertNoKernelThreadAfterCloseOf(driver -> {
      driver.handler().open();
      driver.poll(ReactorDriver.NO_WAIT);
    });
  }

  @Test
  void close_ofARingThatHasSlept() throws Exception {
    assertNoKernelThreadAfterCloseOf(RingCloseTest::waitAtAListener);
  }

  @Test
  void close_ofARingThatAnotherThreadWakes() throws Exception {
    assertNoKernelThreadAfterCloseOf(driver -> {
      waitAtAListener(driver);
      Thread waker = Thread.ofPlatform().start(driver::wakeup);
      waker.join();
    });
  }

  @Test
  void close_withAnOperationThatNobodyCancels() throws Exception {
    assertNoKernelThreadAfterCloseOf(driver -> {
      sleep(driver);
      leaveAnOperation(driver);
    });
  }

  /// Netty's handler waited for ever for that operation.
  @Test
  void close_withAnOperationThatNobodyCancels_ofARingThatHasNeverSlept() throws Exception {
    assertNoKernelThreadAfterCloseOf(RingCloseTest::leaveAnOperation);
  }

  @Test
  void close_afterAFailedRegistration() throws Exception {
    assertNoKernelThreadAfterCloseOf(driver -> {
      ListenerDescriptor listener = waitAtAListener(driver);
      ((UnixDescriptor) listener).failed(new IOException("the ring is full"));
      sleep(driver);
    });
  }

  @Test
  void close_withBytesThatThePeerDoesNotTake() throws Exception {
    System.setProperty("heddle.sends", "batched");
    try {
      assertNoKernelThreadAfterCloseOf(RingCloseTest::leaveUnsentBytes);
    } finally {
      System.clearProperty("heddle.sends");
    }
  }

  private static void leaveUnsentBytes(UringDriver driver) throws IOException {
    ListenerDescriptor listener = waitAtAListener(driver);
    SocketChannel peer = SocketChannel.open();
    peer.setOption(StandardSocketOptions.SO_RCVBUF, 4_608);
    peer.connect(listener.localAddress());
    SocketDescriptor ours = null;
    while (ours == null) {
      sleep(driver);
      ours = listener.accept();
    }
    ours.setOption(StandardSocketOptions.SO_SNDBUF, 4_608);
    while (ours.write(ByteBuffer.allocate(2_000)) > 0) {
      driver.poll(ReactorDriver.NO_WAIT);
    }
    ours.close();
  }

  // ---- what the kernel answers, and what not ----

  /// Netty's handler, of which no operation can be cancelled.
  private record Stubborn(IoHandler netty) implements IoHandler {
    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      IoRegistration registration = netty.register(handle);
      return new IoRegistration() {
        private boolean submits; // what comes behind the cancel

        @Override
        public long submit(IoOps ops) {
          try {
            IoOps given = submits ? ops : pollOfAQuietPipe();
            submits = true;
            return registration.submit(given);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature
        public <T> T attachment() {
          return registration.attachment();
        }

        @Override
        public boolean isValid() {
          return registration.isValid();
        }

        @Override
        public boolean cancel() {
          return registration.cancel();
        }
      };
    }

    @Override
    public void initialize() {
      netty.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      return netty.run(context);
    }

    @Override
    public void prepareToDestroy() {
      netty.prepareToDestroy();
    }

    @Override
    public void destroy() {
      netty.destroy();
    }

    @Override
    public void wakeup() {
      netty.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return netty.isCompatible(type);
    }
  }

  private static IoHandler netty(Thread carrier) {
    ThreadAwareExecutor executor =
        new ThreadAwareExecutor() {
          @Override
          public boolean isExecutorThread(Thread thread) {
            return thread == carrier;
          }

          @Override
          public void execute(Runnable task) {
            throw new UnsupportedOperationException();
          }
        };
    IoUringIoHandlerConfig config = new IoUringIoHandlerConfig().setRingSize(8);
    IoHandler netty = IoUringIoHandler.newFactory(config).newHandler(executor);
    netty.initialize();
    return netty;
  }

  private static RingHandler stubborn(Thread carrier) {
    return new RingHandler(new Stubborn(netty(carrier)));
  }

  @Test
  void close_endsTheOperationsOfChannels() throws Exception {
    assertNoKernelThreadAfter(() -> {
      RingHandler ring = new RingHandler(netty(Thread.currentThread()));
      List<Integer> results = new ArrayList<>();
      IoUringIoHandle channel =
          new IoUringIoHandle() {
            @Override
            public void handle(IoRegistration registration, IoEvent event) {
              results.add(((IoUringIoEvent) event).res());
              ring.ended();
            }

            @Override
            public void close() {}
          };
      ring.register(channel).submit(pollOfAQuietPipe());
      ring.submitted();
      ring.prepareToDestroy();
      assertThat(results).containsExactly(ECANCELED);
      ring.destroy();
    });
  }

  @Test
  void close_withAnOperationThatCannotBeCancelled() throws Exception {
    assertNoKernelThreadAfter(() -> {
      RingHandler ring = stubborn(Thread.currentThread());
      leaveAnOperation(ring);
      ring.prepareToDestroy();
      ring.destroy();
    });
  }

  /// Netty takes the wake-up first, and no other operation completes then.
  @Test
  void close_withAnOperationThatCannotBeCancelled_whileAnotherThreadWakes() throws Exception {
    assertNoKernelThreadAfter(() -> {
      RingHandler ring = stubborn(Thread.currentThread());
      leaveAnOperation(ring);
      ring.prepareToDestroy();
      Thread waker = Thread.ofPlatform().start(ring::wakeup);
      waker.join();
      ring.destroy();
    });
  }

  // ---- loops with channels of Netty's ----

  private static void openChannels() {
    HeddleEventLoop loop = HeddleEventLoop.current();
    ChannelInboundHandlerAdapter none = new ChannelInboundHandlerAdapter();
    SocketAddress at =
        NettyFutures.await(
                new ServerBootstrap()
                    .group(loop)
                    .channel(loop.serverChannelType())
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(ANY))
            .localAddress();
    NettyFutures.await(
        new Bootstrap().group(loop).channel(loop.channelType()).handler(none).connect(at));
    NettyFutures.await(
        new Bootstrap()
            .group(loop)
            .channel(loop.datagramChannelType())
            .handler(new ChannelInboundHandlerAdapter())
            .bind(ANY));
  }

  private static final HeddleOptions ON_A_RING =
      HeddleOptions.defaults().withDriver(UringDriver.NAME);

  @Test
  void close_ofALoopThatHasClosedItsChannels() throws Exception {
    assertNoKernelThreadAfter(() -> Heddle.run(ON_A_RING, RingCloseTest::openChannels));
  }

  @Test
  void close_ofALoopThatFailsWithChannels() throws Exception {
    assertNoKernelThreadAfter(() ->
        assertThatThrownBy(() ->
                Heddle.run(
                    ON_A_RING,
                    () -> {
                      openChannels();
                      throw new OutOfMemoryError("invented: it ends a loop at once");
                    }))
            .isInstanceOf(OutOfMemoryError.class));
  }
}
