// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.io.Listener;
import dev.heddle.io.ServerOptions;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.ports.TestPorts;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several loops that belong together.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopGroupTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static String loop() {
    return Heddle.dump().loop();
  }

  @Test
  void submissions_goToTheLoopsByTurns() {
    try (LoopGroup group = LoopGroup.start(2)) {
      Set<String> seen = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < 4; i++) {
        seen.add(group.submit(LoopGroupTest::loop).join());
      }
      assertThat(seen).hasSize(2);
      assertThat(group.size()).isEqualTo(2);
    }
  }

  @Test
  @Tag("T20")
  void serve_whereOneLoopCannotListen_leavesNoListener() throws IOException {
    AtomicReference<SocketAddress> first = new AtomicReference<>();
    LoopGroup.Opener onceOnly =
        at -> {
          if (first.get() != null) {
            throw new IOException("the second cannot");
          }
          Listener listener = Tcp.listen(at);
          first.set(listener.localAddress());
          return listener;
        };
    try (LoopGroup group = LoopGroup.start(2)) {
      int port = TestPorts.next(); // nobody else listens there
      InetSocketAddress here = new InetSocketAddress(ANY.getAddress(), port);
      assertThatThrownBy(() -> group.serve(here, ServerOptions.defaults(), onceOnly, _ -> {}))
          .hasMessage("the second cannot");
      assertThatThrownBy(() -> new Socket(ANY.getAddress(), port).close())
          .isInstanceOf(ConnectException.class);
    }
  }

  /// Who would connect stays in the line: the next try fails, too, at once. A minute has one line.
  @Test
  void serve_whereTheSystemRefusesToAccept_saysSoOnceAndGoesOn() throws Exception {
    long began = System.nanoTime();
    List<String> said = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("dev.heddle");
    Filter before = logger.getFilter();
    logger.setFilter(entry -> !said.add(entry.getMessage()));
    CountDownLatch served = new CountDownLatch(2);
    AtomicInteger calls = new AtomicInteger();
    try (LoopGroup group = LoopGroup.start(1)) {
      SocketAddress bound =
          group.serve(
              ANY,
              ServerOptions.defaults(),
              at -> new Refusing(Tcp.listen(at), calls),
              _ -> served.countDown());
      for (int i = 0; i < 2; i++) {
        new Socket(ANY.getAddress(), ((InetSocketAddress) bound).getPort()).close();
      }
      served.await();
    } finally {
      logger.setFilter(before);
    }
    int minutes = Math.toIntExact(Duration.ofNanos(System.nanoTime() - began).toMinutes());
    assertThat(said).filteredOn(line -> line.contains("; retrying")).hasSizeBetween(1, 1 + minutes);
    assertThat(calls).hasValueGreaterThan(Refusing.ROW + 1); // it was refused in two rows
  }

  /// Refuses three times before each connection.
  private static final class Refusing implements Listener {
    static final int ROW = 3;

    private final Listener listener;
    private final AtomicInteger calls;

    Refusing(Listener listener, AtomicInteger calls) {
      this.listener = listener;
      this.calls = calls;
    }

    @Override
    public StreamSocket accept() throws IOException {
      if (calls.getAndIncrement() % (ROW + 1) < ROW) {
        throw new SocketException("Too many open files");
      }
      return listener.accept();
    }

    @Override
    public SocketAddress localAddress() {
      return listener.localAddress();
    }

    @Override
    public boolean isOpen() {
      return listener.isOpen();
    }

    @Override
    public void close() {
      listener.close();
    }
  }

  @Test
  void submissionToEach_runsInAllAtOnce() {
    try (LoopGroup group = LoopGroup.start(HeddleOptions.defaults().withName("pair"), 2)) {
      Set<String> seen = ConcurrentHashMap.newKeySet();
      group.submitToEach(() -> seen.add(loop())).join();
      assertThat(seen).containsExactlyInAnyOrder("pair-1", "pair-2");
    }
  }

  @Test
  void failure_ofWhatWasSubmitted_goesToItsFutureOnly() {
    try (LoopGroup group = LoopGroup.start(1)) {
      CompletableFuture<Object> failed =
          group.submit(() -> {
            throw new IOException("mine");
          });
      assertThatThrownBy(failed::join).hasRootCauseMessage("mine");
      assertThat(group.submit(() -> "goes on").join()).isEqualTo("goes on");
    }
  }

  @Test
  void close_waitsForWhatWasSubmitted() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<String> slow;
    try (LoopGroup group = LoopGroup.start(2)) {
      slow =
          group.submit(() -> {
            begun.countDown();
            mayEnd.await();
            return "done";
          });
      begun.await();
      mayEnd.countDown();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(slow).isCompletedWithValue("done");
  }

  @Test
  void failure_ofOneLoop_stopsTheOthers() {
    LoopGroup group = LoopGroup.start(2);
    group
        .submit(() -> {
          Heddle.launch(
              "fails",
              () -> {
                throw new IllegalStateException("a loop's own");
              });
          return true;
        })
        .join();
    assertThatThrownBy(group::join).hasMessage("a loop's own");
    assertThat(group.loop(0).isDone()).isTrue();
    assertThat(group.loop(1).isDone()).isTrue();
  }

  @Test
  void shutdown_cancelsWhatRuns() {
    LoopGroup group = LoopGroup.start(2);
    CompletableFuture<Object> waiting =
        group.submit(() -> {
          Heddle.delay(Duration.ofHours(1));
          return "never";
        });
    group.submitToEach(() -> {}).join();
    group.shutdown(Duration.ofSeconds(20));
    assertThatThrownBy(group::join).isInstanceOf(Cancellation.class);
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(Cancellation.class);
  }

  @Test
  void submission_toALoopThatHasEnded_isRefused() {
    Loop<String> loop = Loop.start(() -> "over");
    loop.join();
    assertThatThrownBy(() -> loop.submit(() -> "late").join())
        .hasCauseInstanceOf(LoopEndedException.class);
  }

  @Test
  void submission_whoseLoopFailsBeforeItBegins_isRefused() {
    AtomicReference<CompletableFuture<Integer>> submitted = new AtomicReference<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              submitted.set(Loop.current().submit(() -> 1));
              Heddle.yieldNow();
              throw new IllegalStateException("fails first");
            }))
        .hasMessage("fails first");
    assertThatThrownBy(submitted.get()::join).hasCauseInstanceOf(LoopEndedException.class);
  }

  @Test
  void group_withoutLoops_isRefused() {
    assertThatThrownBy(() -> LoopGroup.start(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one");
  }

  @Test
  @Tag("T20")
  void connections_ofOnePort_areServedByAllLoops() throws Exception {
    try (LoopGroup group = LoopGroup.start(2)) {
      SocketAddress address =
          group.serve(ANY, connection -> connection.write(StandardCharsets.UTF_8.encode(loop())));
      Set<String> seen = ConcurrentHashMap.newKeySet();
      while (seen.size() < 2) {
        try (Socket client = new Socket()) {
          client.connect(address);
          seen.add(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
  }

  @Test
  void address_thatIsTaken_isNamed() throws Exception {
    try (LoopGroup group = LoopGroup.start(2);
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> group.serve(taken.getLocalSocketAddress(), c -> {}))
          .isInstanceOf(BindException.class)
          .hasMessageContaining(Integer.toString(taken.getLocalPort()));
    }
  }
}
