// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What datagram sockets do on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("UDP")
class UdpConformanceTest implements OnDriver {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

  private final String driver;

  UdpConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  /// Runs with a socket, and one that talks to it only.
  private void run(Exchange exchange) {
    Cell.run(
        driver,
        () -> {
          try (UdpSocket server = Udp.bind(ANY);
              UdpSocket client = Udp.connect(server.localAddress())) {
            exchange.run(server, client);
          }
        });
  }

  @FunctionalInterface
  private interface Exchange {
    void run(UdpSocket server, UdpSocket client) throws Exception;
  }

  private static ByteBuffer random(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static String text(ByteBuffer buffer) {
    return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void datagrams_ofAllSizes_arriveAsTheyWere() {
    run((server, client) -> {
      for (int size : new int[] {0, 1, 1_400, 9_000, 60_000}) {
        ByteBuffer sent = random(size, size);
        server.send(sent.duplicate(), client.localAddress());
        ByteBuffer got =
            size % 2 == 0 ? ByteBuffer.allocate(65_535) : ByteBuffer.allocateDirect(65_535);
        assertThat(client.receive(got)).isEqualTo(server.localAddress());
        assertThat(got.flip()).isEqualTo(sent);
      }
    });
  }

  @Test
  void emptyDatagram_toAPeer_leavesOrIsRefused() {
    run((server, client) -> {
      try {
        client.write(ByteBuffer.allocate(0));
        assertThat(server.receive(ByteBuffer.allocate(1))).isEqualTo(client.localAddress());
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("empty datagram");
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void answers_reachWhoHasAsked() {
    run((server, client) -> {
      try (UdpSocket other = Udp.connect(server.localAddress())) {
        other.write(StandardCharsets.UTF_8.encode("other"));
        client.write(StandardCharsets.UTF_8.encode("client"));
        for (int i = 0; i < 2; i++) {
          ByteBuffer question = ByteBuffer.allocateDirect(100);
          SocketAddress from = server.receive(question);
          server.send(StandardCharsets.UTF_8.encode("hello " + text(question)), from);
        }
        ByteBuffer answer = ByteBuffer.allocate(100);
        client.read(answer);
        assertThat(text(answer)).isEqualTo("hello client");
        other.read(answer.clear());
        assertThat(text(answer)).isEqualTo("hello other");
      }
    });
  }

  @Test
  void datagram_longerThanTheBuffer_losesItsEndOnly() {
    run((server, client) -> {
      client.write(StandardCharsets.UTF_8.encode("long"));
      client.write(StandardCharsets.UTF_8.encode("next"));
      ByteBuffer two = ByteBuffer.allocate(2);
      server.receive(two);
      assertThat(text(two)).isEqualTo("lo");
      ByteBuffer rest = ByteBuffer.allocate(10);
      server.receive(rest);
      assertThat(text(rest)).isEqualTo("next");
    });
  }

  @Test
  void datagram_tooLong_isRefused() {
    run((server, client) ->
        assertThatThrownBy(() -> client.write(ByteBuffer.allocate(70_000)))
            .isInstanceOf(IOException.class));
  }

  @Test
  @Tag("loop-262")
  @Shows(Aspect.DEADLINE)
  void receive_pastItsDeadline_leavesTheSocketUsable() {
    run((server, client) -> {
      Deadline soon = Deadline.after(Duration.ofMillis(5));
      assertThatThrownBy(() -> server.receive(ByteBuffer.allocate(5), soon))
          .isInstanceOf(DeadlineException.class);
      client.write(ByteBuffer.allocate(3));
      ByteBuffer got = ByteBuffer.allocate(5);
      server.receive(got);
      assertThat(got.position()).isEqualTo(3);
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
      client.write(ByteBuffer.allocate(3));
      assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
      ByteBuffer got = ByteBuffer.allocate(5);
      server.receive(got);
      assertThat(got.position()).isEqualTo(3);
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_underReceivers_endsThemAll() {
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
    });
  }

  @Test
  @Shows(Aspect.END)
  void peerGone_isReportedToAConnectedSocket() {
    run((server, client) -> {
      server.close();
      client.write(ByteBuffer.allocate(1));
      assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
          .isInstanceOf(PortUnreachableException.class);
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
      client.connect(server.localAddress());
      assertThat(client.remoteAddress()).isEqualTo(server.localAddress());
    });
  }

  @Test
  void address_inUse_isNamed() {
    run((server, client) ->
        assertThatThrownBy(() -> Udp.bind(server.localAddress()))
            .isInstanceOf(BindException.class)
            .hasMessageContaining(server.localAddress().toString()));
  }

  @Test
  void options_areSetAndRead() {
    run((server, client) -> {
      server.setOption(StandardSocketOptions.SO_BROADCAST, true);
      assertThat(server.option(StandardSocketOptions.SO_BROADCAST)).isTrue();
      server.setOption(StandardSocketOptions.SO_RCVBUF, 100_000);
      assertThat(server.option(StandardSocketOptions.SO_RCVBUF)).isGreaterThanOrEqualTo(100_000);
    });
  }

  @Test
  void multicast_reachesTheMembersOfTheGroup() {
    Cell.run(
        driver,
        () -> {
          NetworkInterface loopback =
              NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
          InetSocketAddress group = new InetSocketAddress(GROUP, 0);
          try (UdpSocket member = Udp.multicast(group);
              UdpSocket sender = Udp.bind(ANY)) {
            int port = ((InetSocketAddress) member.localAddress()).getPort();
            sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
            InetSocketAddress to = new InetSocketAddress(GROUP, port);
            ByteBuffer got = ByteBuffer.allocate(10);
            try (Registration _ = member.join(group.getAddress(), loopback)) {
              sender.send(ByteBuffer.allocate(4), to);
              member.receive(got, Deadline.after(Duration.ofSeconds(200)));
            }
            assertThat(got.position()).isEqualTo(4);
          }
        });
  }
}
