// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.TcpOptions;
import dev.heddle.io.Unix;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What listeners and their sockets do on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("listeners")
class AcceptConformanceTest implements OnDriver {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path folder;
  private final String driver;

  AcceptConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void connections_ofManyClients_areAllAccepted() {
    Cell.run(
        driver,
        () -> {
          try (Listener listener = Tcp.listen(ANY)) {
            for (int i = 0; i < 300; i++) {
              Heddle.launch(
                  "client " + i,
                  () -> {
                    try (StreamSocket client = Tcp.connect(listener.localAddress())) {
                      client.readFully(ByteBuffer.allocate(1));
                    }
                  });
            }
            for (int i = 0; i < 300; i++) {
              try (StreamSocket accepted = listener.accept()) {
                accepted.write(ByteBuffer.allocate(1));
              }
            }
          }
        });
  }

  @Test
  @Tag("loop-261")
  @Shows(Aspect.CANCEL)
  void acceptor_whoseSiblingFails_isCancelledCleanly() {
    Cell.run(
        driver,
        () -> {
          Listener listener = Tcp.listen(ANY);
          assertThatThrownBy(() ->
                  Heddle.scope(scope -> {
                    scope.spawn(listener::accept);
                    Heddle.yieldNow();
                    scope.launch(
                        "sibling",
                        () -> {
                          throw new IllegalStateException("the sibling's");
                        });
                    return null;
                  }))
              .isInstanceOf(IllegalStateException.class)
              .hasMessage("the sibling's");
          Coroutine<StreamSocket> next = suspended(listener::accept);
          StreamSocket client = Tcp.connect(listener.localAddress());
          next.await().close();
          client.close();
          listener.close();
        });
  }

  /// Linux says that it is to be tried again, and does not say when.
  @Test
  @Shows(Aspect.INTEGRITY)
  void connection_toAUnixListenerWhoseLineIsFull_waitsForRoom() throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("full"));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address, 1);
      List<SocketChannel> line = fill(address);
      Cell.run(
          driver,
          () -> {
            Coroutine<StreamSocket> connecting = suspended(() -> Unix.connect(address.getPath()));
            for (SocketChannel _ : line) {
              server.accept().close();
            }
            connecting.await().close();
          });
      for (SocketChannel channel : line) {
        channel.close();
      }
    }
  }

  /// As many connections as nobody accepts.
  private static List<SocketChannel> fill(UnixDomainSocketAddress address) throws IOException {
    List<SocketChannel> line = new ArrayList<>();
    while (true) {
      SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
      next.configureBlocking(false);
      try {
        next.connect(address);
        line.add(next);
      } catch (SocketException _) {
        return line; // the JDK has closed it
      }
    }
  }

  @Test
  @Tag("loop-262")
  @Shows(Aspect.DEADLINE)
  void accept_pastItsDeadline_leavesTheListenerUsable() {
    Cell.run(
        driver,
        () -> {
          try (Listener listener = Tcp.listen(ANY)) {
            assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofMillis(5), listener::accept))
                .isInstanceOf(DeadlineException.class);
            try (StreamSocket client = Tcp.connect(listener.localAddress());
                StreamSocket accepted = listener.accept()) {
              assertThat(accepted.remoteAddress()).isEqualTo(client.localAddress());
              assertThat(client.remoteAddress()).isEqualTo(listener.localAddress());
            }
          }
        });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_underAcceptors_endsThemAll() {
    Cell.run(
        driver,
        () -> {
          Listener listener = Tcp.listen(ANY);
          List<Coroutine<StreamSocket>> acceptors = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            acceptors.add(suspended(listener::accept));
          }
          listener.close();
          assertThatThrownBy(acceptors.getFirst()::await)
              .hasCauseInstanceOf(AsynchronousCloseException.class);
          assertThatThrownBy(acceptors.getLast()::await)
              .hasCauseInstanceOf(ClosedChannelException.class);
        });
  }

  @Test
  void options_ofListeners_reachWhatTheyAccept() {
    Cell.run(
        driver,
        () -> {
          TcpOptions options =
              TcpOptions.defaults()
                  .with(StandardSocketOptions.SO_KEEPALIVE, true)
                  .with(StandardSocketOptions.SO_LINGER, 3)
                  .with(StandardSocketOptions.TCP_NODELAY, false);
          try (Listener listener = Tcp.listen(ANY, options);
              StreamSocket client = Tcp.connect(listener.localAddress());
              StreamSocket accepted = listener.accept()) {
            assertThat(accepted.option(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
            assertThat(accepted.option(StandardSocketOptions.SO_LINGER)).isEqualTo(3);
            assertThat(accepted.option(StandardSocketOptions.TCP_NODELAY)).isFalse();
            assertThat(client.option(StandardSocketOptions.TCP_NODELAY)).isTrue();
          }
        });
  }

  @Test
  void localAddress_ofAClient_isTheOneAskedFor() {
    Cell.run(
        driver,
        () -> {
          InetSocketAddress from = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0);
          try (Listener listener = Tcp.listen(new InetSocketAddress(0))) {
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try (StreamSocket client =
                    Tcp.connect(to, TcpOptions.defaults().withLocalAddress(from));
                StreamSocket accepted = listener.accept()) {
              assertThat(((InetSocketAddress) accepted.remoteAddress()).getAddress())
                  .isEqualTo(from.getAddress());
              assertThat(client.isOpen()).isTrue();
            }
          }
        });
  }

  @Test
  void unixConnect_withoutAListener_isRefusedInOneTypeThatNamesThePath() {
    Cell.run(
        driver,
        () -> {
          Path left = folder.resolve("left");
          Unix.listen(left).close();
          Path file = Files.createFile(folder.resolve("file"));
          Path tooLong = folder.resolve("x".repeat(200)); // no address has room for it
          for (Path nobody :
              List.of(left, file, folder, folder.resolve("none"), file.resolve("under"), tooLong)) {
            assertThatThrownBy(() -> Unix.connect(nobody))
                .isInstanceOf(ConnectException.class)
                .hasMessageStartingWith(nobody + ": ");
          }
        });
  }
}
