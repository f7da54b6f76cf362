// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.DatagramSocket;
import dev.heddle.io.Unix;
import dev.heddle.io.UnixAbstractAddress;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What datagram sockets with paths do on every driver that has them.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("UNIX_DATAGRAM")
class UnixDatagramConformanceTest implements OnDriver {
  private final String driver;

  @TempDir Path folder;

  UnixDatagramConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  private Path path(String name) {
    return folder.resolve(name);
  }

  /// Runs with two sockets, where the driver has such, and sees to the refusal where not.
  private void run(Exchange exchange) {
    Cell.run(
        driver,
        () -> {
          if (!Cell.showsNumbers(driver) && !Cell.isSimulated(driver)) {
            assertThatThrownBy(() -> Unix.bindDatagram(path("server")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("the driver " + driver + " has no UNIX_DATAGRAM: the JDK");
            return;
          }
          try (DatagramSocket server = Unix.bindDatagram(path("server"));
              DatagramSocket client = Unix.bindDatagram(path("client"))) {
            client.connect(server.localAddress());
            exchange.run(server, client);
          }
        });
  }

  @FunctionalInterface
  private interface Exchange {
    void run(DatagramSocket server, DatagramSocket client) throws Exception;
  }

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  private static String text(ByteBuffer buffer) {
    return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void datagrams_ofAllSizes_arriveAsTheyWere_withTheirSender() {
    run((server, client) -> {
      for (int size : new int[] {0, 1, 1_400, 9_000, 60_000}) {
        byte[] sent = new byte[size];
        new Random(size).nextBytes(sent);
        boolean isHeap = size % 2 == 0;
        ByteBuffer from = isHeap ? ByteBuffer.wrap(sent) : ByteBuffer.allocateDirect(size);
        if (!isHeap) {
          from.put(sent).flip();
        }
        server.send(from, client.localAddress());
        assertThat(from.hasRemaining()).isFalse();
        ByteBuffer got = isHeap ? ByteBuffer.allocate(65_535) : ByteBuffer.allocateDirect(65_535);
        assertThat(client.receive(got)).isEqualTo(UnixDomainSocketAddress.of(path("server")));
        assertThat(got.flip()).isEqualTo(ByteBuffer.wrap(sent));
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void receiverWithoutRoom_holdsItsSenders_andLosesNothing() {
    run((server, client) -> {
      int many = 200; // a queue has room for ten or so
      Coroutine<?> connected =
          Heddle.spawn(() -> {
            for (int i = 0; i < many; i++) {
              client.write(bytes("c" + i));
            }
          });
      Coroutine<?> sending =
          Heddle.spawn(() -> {
            try (DatagramSocket unnamed = Unix.openDatagram()) {
              for (int i = 0; i < many; i++) {
                unnamed.send(bytes("u" + i), server.localAddress());
              }
            }
          });
      int nextC = 0;
      int nextU = 0;
      ByteBuffer got = ByteBuffer.allocate(10);
      for (int i = 0; i < 2 * many; i++) {
        SocketAddress from = server.receive(got.clear());
        boolean isClient = from.equals(client.localAddress());
        assertThat(text(got)).isEqualTo(isClient ? "c" + nextC++ : "u" + nextU++);
        assertThat(isClient || from.equals(UnixDomainSocketAddress.of(""))).isTrue();
      }
      connected.await();
      sending.await();
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void emptyDatagram_toAReceiverWithoutRoom_isNotLost() {
    run((server, client) -> {
      try (DatagramSocket unnamed = Unix.openDatagram()) {
        int many = 200; // a queue has room for ten or so
        Coroutine<?> sending =
            Heddle.spawn(() -> {
              for (int i = 0; i < many; i++) {
                client.write(ByteBuffer.allocate(0));
                unnamed.send(ByteBuffer.allocateDirect(0), server.localAddress());
              }
              client.write(bytes("end"));
            });
        ByteBuffer got = ByteBuffer.allocate(10);
        int fromClient = 0;
        int fromUnnamed = 0;
        SocketAddress from = server.receive(got);
        while (got.position() == 0) {
          fromClient += from.equals(client.localAddress()) ? 1 : 0;
          fromUnnamed += from.equals(UnixDomainSocketAddress.of("")) ? 1 : 0;
          from = server.receive(got);
        }
        assertThat(text(got)).isEqualTo("end");
        assertThat(fromClient).isEqualTo(many);
        assertThat(fromUnnamed).isEqualTo(many);
        sending.await();
      }
    });
  }

  @Test
  void emptyDatagram_toAConnectedSocket_isARead() {
    run((server, client) -> {
      server.connect(client.localAddress());
      client.write(ByteBuffer.allocate(0));
      client.write(bytes("abc"));
      ByteBuffer got = ByteBuffer.allocate(5);
      assertThat(server.read(got)).isZero();
      assertThat(server.read(got)).isEqualTo(3);
    });
  }

  @Test
  void datagram_longerThanTheBuffer_losesItsEndOnly() {
    run((server, client) -> {
      client.write(bytes("long"));
      client.write(bytes("next"));
      ByteBuffer two = ByteBuffer.allocate(2);
      server.receive(two);
      assertThat(text(two)).isEqualTo("lo");
      ByteBuffer rest = ByteBuffer.allocateDirect(10);
      server.receive(rest);
      assertThat(text(rest)).isEqualTo("next");
    });
  }

  @Test
  void datagram_tooLong_isRefused() {
    run((server, client) ->
        assertThatThrownBy(() -> client.write(ByteBuffer.allocateDirect(8 << 20)))
            .isInstanceOf(IOException.class));
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void receive_pastItsDeadline_leavesTheSocketUsable() {
    run((server, client) -> {
      Deadline soon = Deadline.after(Duration.ofMillis(5));
      assertThatThrownBy(() -> server.receive(ByteBuffer.allocate(5), soon))
          .isInstanceOf(DeadlineException.class);
      client.write(bytes("abc"));
      ByteBuffer got = ByteBuffer.allocate(5);
      server.receive(got);
      assertThat(text(got)).isEqualTo("abc");
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void receive_cancelled_leavesTheDatagramForTheNext() {
    run((server, client) -> {
      Coroutine<SocketAddress> waiting = Heddle.spawn(() -> server.receive(ByteBuffer.allocate(5)));
      while (!waiting.isSuspended()) {
        Heddle.yieldNow();
      }
      waiting.cancel("no more");
      client.write(bytes("abc"));
      assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
      ByteBuffer got = ByteBuffer.allocate(5);
      server.receive(got);
      assertThat(text(got)).isEqualTo("abc");
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_underReceivers_endsThemAll_andLeavesTheFile() {
    run((server, client) -> {
      Coroutine<SocketAddress> first = Heddle.spawn(() -> server.receive(ByteBuffer.allocate(5)));
      Coroutine<SocketAddress> second = Heddle.spawn(() -> server.receive(ByteBuffer.allocate(5)));
      while (!second.isSuspended()) {
        Heddle.yieldNow();
      }
      server.close();
      assertThatThrownBy(first::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(second::await).hasCauseInstanceOf(ClosedChannelException.class);
      assertThat(server.localAddress()).isNull();
      assertThat(path("server")).as("as listeners do").exists();
    });
  }

  @Test
  @Shows(Aspect.END)
  void peerGone_isReportedToAConnectedSocket() {
    run((server, client) -> {
      assertThat(client.remoteAddress()).isEqualTo(server.localAddress());
      try (DatagramSocket second = Unix.openDatagram()) {
        second.connect(server.localAddress());
        server.close();
        assertThatThrownBy(() -> client.write(ByteBuffer.allocate(1)))
            .isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> second.write(ByteBuffer.allocate(0)))
            .isInstanceOf(ConnectException.class);
      }
    });
  }

  /// Without a byte it failed otherwise: as a file that was not found, or in the words of Netty.
  @Test
  void send_withoutAReceiver_failsAlikeForDatagramsOfAnyLength() {
    run((server, client) -> {
      SocketAddress closed = server.localAddress();
      server.close();
      try (DatagramSocket unnamed = Unix.openDatagram()) {
        for (int size : new int[] {0, 1}) {
          ByteBuffer some = ByteBuffer.allocate(size);
          assertThatThrownBy(() -> unnamed.send(some, UnixDomainSocketAddress.of(path("nobody"))))
              .as("%d bytes", size)
              .isInstanceOf(ConnectException.class)
              .hasMessage("No such file or directory");
          assertThatThrownBy(() -> unnamed.send(some, closed))
              .as("%d bytes", size)
              .isInstanceOf(ConnectException.class)
              .hasMessage("Connection refused");
        }
      }
    });
  }

  @Test
  void write_withoutAPeer_isRefused() {
    run((server, client) -> {
      assertThatThrownBy(() -> server.write(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
      client.disconnect();
      assertThat(client.remoteAddress()).isNull();
      assertThatThrownBy(() -> client.write(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
    });
  }

  @Test
  void path_inUse_isNamed_andLeftAlone() throws IOException {
    Files.writeString(path("file"), "mine");
    run((server, client) -> {
      for (Path taken : new Path[] {path("server"), path("file")}) {
        assertThatThrownBy(() -> Unix.bindDatagram(taken))
            .isInstanceOf(BindException.class)
            .hasMessageContaining(taken.toString());
      }
      client.write(bytes("still"));
      server.receive(ByteBuffer.allocate(5));
    });
    assertThat(path("file")).hasContent("mine");
  }

  @Test
  void abstractName_isBoundAndAnswered() {
    run((server, client) -> {
      UnixAbstractAddress name =
          UnixAbstractAddress.of("heddle-" + folder.getFileName() + "-" + driver);
      try (DatagramSocket named = Unix.bindDatagram(name)) {
        assertThat(named.localAddress()).isEqualTo(name);
        server.send(bytes("hello"), name);
        assertThat(named.receive(ByteBuffer.allocate(5))).isEqualTo(server.localAddress());
        named.send(bytes("again"), server.localAddress());
        assertThat(server.receive(ByteBuffer.allocate(5))).isEqualTo(name);
      }
    });
  }
}
