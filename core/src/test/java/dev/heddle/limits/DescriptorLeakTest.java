// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.Tls;
import dev.heddle.io.TlsOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Descriptors are counted before and after.
@Tag("T14")
@Tag("trap-29")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorLeakTest {
  private static final int TIMES = 100;
  private static final int LOOKS = 1_000; // of some milliseconds each: a leak lasts for ever

  /// Descriptors that stay open after many calls of `action` within one loop, beyond those before.
  private static long leakedInside(Action action) {
    return Heddle.run(() -> {
      openWhatTheLoopKeeps();
      action.run();
      settle();
      return leaked(action, DescriptorLeakTest::settle);
    });
  }

  private static long leaked(Action action, Action pause) throws Exception {
    long before = Descriptors.ofLoops();
    for (int i = 0; i < TIMES; i++) {
      action.run();
    }
    return beyond(before, pause);
  }

  /// Descriptors beyond so many that nobody closes: the kernel, and a driver, close some a moment
  /// later than they were told to.
  private static long beyond(long before, Action pause) throws Exception {
    long found = Descriptors.ofLoops();
    for (int look = 0; look < LOOKS && found > before; look++) {
      pause.run();
      found = Descriptors.ofLoops();
    }
    return Math.max(0, found - before);
  }

  // a read that really waits: only that makes the driver open its selector
  private static void openWhatTheLoopKeeps() throws IOException {
    Connections connection = Connections.open();
    Coroutine<String> reader = Heddle.spawn(() -> connection.read(8));
    settle();
    connection.send("abc");
    assertThat(reader.await()).isEqualTo("abc");
    connection.ours().close();
    connection.peer().close();
  }

  private static void exchange() throws IOException {
    Connections connection = Connections.open();
    connection.send("abc");
    assertThat(connection.read(8)).isEqualTo("abc");
    connection.ours().close();
    connection.peer().close();
  }

  /// A selector lets go of a closed channel at its next look.
  private static void settle() {
    long sleeps = Heddle.counters().sleeps();
    while (Heddle.counters().sleeps() < sleeps + 2) {
      Heddle.delay(Duration.ofMillis(2));
    }
  }

  @Test
  void exchanges_andClosesOnBothSides_leakNothing() {
    long leaked = leakedInside(DescriptorLeakTest::exchange);
    assertThat(leaked).isZero();
  }

  @Test
  void peersKilled_leakNothing() {
    long leaked =
        leakedInside(() -> {
          Connections connection = Connections.open();
          connection.kill();
          assertThatThrownBy(() -> connection.read(1)).isInstanceOf(IOException.class);
          connection.ours().close();
        });
    assertThat(leaked).isZero();
  }

  @Test
  void connectsRefused_leakNothing() {
    SocketAddress nobody = Heddle.run(Connections::refusing);
    long leaked =
        leakedInside(() ->
            assertThatThrownBy(() -> Tcp.connect(nobody)).isInstanceOf(ConnectException.class));
    assertThat(leaked).isZero();
  }

  /// Nobody else has the connection by which a client was to talk TLS.
  @Test
  void tlsParametersRefused_leakNothing() {
    List<TlsOptions> refused =
        List.of(
            TlsOptions.defaults()
                .withParameters(p -> p.setCipherSuites(new String[] {"NO_SUCH_SUITE"})),
            TlsOptions.defaults()
                .withParameters(p -> {
                  throw new IllegalArgumentException("of the program's own");
                }));
    for (TlsOptions options : refused) {
      long leaked =
          leakedInside(() -> {
            Connections connection = Connections.open();
            assertThatThrownBy(() -> Tls.client(connection.ours(), "localhost", 1, options))
                .isInstanceOf(IllegalArgumentException.class);
            connection.peer().close();
            Connections other = Connections.open();
            assertThatThrownBy(() -> Tls.server(other.ours(), options))
                .isInstanceOf(IllegalArgumentException.class);
            other.peer().close();
          });
      assertThat(leaked).isZero();
    }
  }

  @Test
  void accepts_withAnOptionThatDoesNotFit_leakNothing() {
    TcpOptions odd =
        TcpOptions.defaults().with(StandardSocketOptions.IP_MULTICAST_TTL, 3); // of datagrams
    long leaked =
        leakedInside(() -> {
          try (Listener listener = Tcp.listen(Connections.ANY_PORT, odd);
              StreamSocket client = Tcp.connect(listener.localAddress())) {
            assertThatThrownBy(listener::accept).isInstanceOf(UnsupportedOperationException.class);
            assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
          }
        });
    assertThat(leaked).isZero();
  }

  @Test
  void acceptsCancelled_leakNothing() {
    long leaked =
        leakedInside(() -> {
          try (Listener listener = Tcp.listen(Connections.ANY_PORT)) {
            Coroutine<?> acceptor = Heddle.spawn(listener::accept);
            Connections.until(acceptor::isSuspended);
            acceptor.cancel("enough");
            assertThatThrownBy(acceptor::await).isInstanceOf(Cancellation.class);
          }
        });
    assertThat(leaked).isZero();
  }

  @Test
  @Tag("trap-1")
  void acceptCancelled_asAConnectionComes_leavesItToTheNextCall() {
    Heddle.run(() -> {
      try (Listener listener = Tcp.listen(Connections.ANY_PORT);
          SocketChannel peer = SocketChannel.open()) {
        Coroutine<?> acceptor = Heddle.spawn(listener::accept);
        Connections.until(acceptor::isSuspended);
        peer.configureBlocking(false); // the acceptor must not run during it
        peer.connect(listener.localAddress());
        Connections.until(() -> acceptor.isQueued() || acceptor.isDone());
        assertThat(acceptor.isQueued()).isTrue();
        acceptor.cancel("enough");
        assertThatThrownBy(acceptor::await).isInstanceOf(Cancellation.class);
        SocketAddress accepted = listener.accept().remoteAddress();
        assertThat(peer.finishConnect()).isTrue();
        assertThat(accepted).isEqualTo(peer.getLocalAddress());
      }
    });
  }

  /// A listener of the JDK's whose queue of connections is full: the next one gets no answer.
  private static void withSilentAddress(SilentBody body) throws Exception {
    List<SocketChannel> queued = new ArrayList<>();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      SocketAddress address = server.getLocalSocketAddress();
      for (int i = 0; i < 8; i++) {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.connect(address);
        queued.add(channel);
      }
      awaitFullQueue(server.getLocalPort());
      body.run(address);
    } finally {
      for (SocketChannel channel : queued) {
        channel.close();
      }
    }
  }

  /// A connect returns before the kernel has answered: on a busy machine another one still found
  /// room. A listener's line has the length of its queue in the place of what is to be read.
  private static void awaitFullQueue(int port) throws IOException {
    Pattern full =
        Pattern.compile(
            String.format(
                Locale.ROOT, "[0-9A-F]+:%04X [0-9A-F]+:0000 0A [0-9A-F]{8}:0000000[2-9]", port));
    while (Stream.of("tcp", "tcp6")
        .flatMap(DescriptorLeakTest::socketsOf)
        .noneMatch(line -> full.matcher(line).find())) {
      Thread.onSpinWait(); // the test's own limit bounds it
    }
  }

  private static Stream<String> socketsOf(String protocol) {
    Path table = Path.of("/proc/net", protocol);
    try {
      return Files.exists(table) ? Files.readAllLines(table).stream() : Stream.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @FunctionalInterface
  private interface SilentBody {
    void run(SocketAddress address) throws Exception;
  }

  @Test
  void connectsCancelled_leakNothing() throws Exception {
    withSilentAddress(address -> {
      long leaked =
          leakedInside(() -> {
            Coroutine<?> connecting = Heddle.spawn(() -> Tcp.connect(address));
            Connections.until(connecting::isSuspended);
            Heddle.yieldNow();
            connecting.cancel("enough");
            assertThatThrownBy(connecting::await).isInstanceOf(Cancellation.class);
          });
      assertThat(leaked).isZero();
    });
  }

  @Test
  void connects_cutByADeadline_leakNothing() throws Exception {
    withSilentAddress(address -> {
      long leaked =
          leakedInside(() ->
              assertThatThrownBy(
                      () -> Heddle.withTimeout(Duration.ofMillis(1), () -> Tcp.connect(address)))
                  .isInstanceOf(DeadlineException.class));
      assertThat(leaked).isZero();
    });
  }

  @Test
  void loops_thatEndWithOpenConnections_closeThem() throws Exception {
    runWithOpenConnections();
    long beforeAll = Descriptors.open();
    assertThat(leaked(DescriptorLeakTest::runWithOpenConnections, () -> Thread.sleep(2))).isZero();
    // others may open a file or two meanwhile, not one per run
    assertThat(Descriptors.open() - beforeAll).isLessThan(TIMES / 2);
  }

  private static void runWithOpenConnections() {
    Heddle.run(() -> {
      Listener listener = Tcp.listen(Connections.ANY_PORT);
      var client = Heddle.spawn(() -> Tcp.connect(listener.localAddress()));
      Heddle.background("reader", () -> listener.accept().read(ByteBuffer.allocate(8)));
      client.await().write(ByteBuffer.allocate(0));
      Heddle.yieldNow();
    });
  }

  @Test
  void loopsWithoutIo_openNoDescriptor() throws Exception {
    long opened = openedByALoopWithoutIo();
    for (int i = 0; i < TIMES && opened != 0; i++) {
      // whatever else this process does may come in between, but not each time
      opened = openedByALoopWithoutIo();
    }
    assertThat(opened).isZero();
  }

  private static long openedByALoopWithoutIo() throws IOException {
    long during =
        Heddle.run(() -> {
          Heddle.delay(Duration.ofMillis(1));
          return Descriptors.ofLoops();
        });
    return during - Descriptors.ofLoops();
  }
}
