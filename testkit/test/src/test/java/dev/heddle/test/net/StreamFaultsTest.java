// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.io.Dns;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.node.Node;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What goes wrong on the links of a simulated network.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamFaultsTest {
  private static final int PORT = 80;

  private static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// Runs a program on the host `peer`, and another one that ends the run.
  ///
  /// @return the virtual time that it took
  private static Duration run(
      long seed, Consumer<SimulatedNetwork> setUp, Action peer, Action main) {
    return Simulation.run(
            SimulationOptions.defaults().withSeed(seed),
            () -> {
              setUp.accept(Simulation.network());
              Node other = Node.start("peer", peer);
              main.run();
              if (other.isRunning()) {
                other.crash();
              }
            })
        .elapsed();
  }

  private static Duration sent(
      long seed, Consumer<SimulatedNetwork> setUp, byte[] bytes, byte[][] got) {
    return run(
        seed,
        setUp,
        () -> {
          try (StreamSocket to = Tcp.connect("main", PORT)) {
            to.write(ByteBuffer.wrap(bytes));
          }
        },
        () -> {
          try (Listener listener = Tcp.listen(new InetSocketAddress(PORT));
              StreamSocket from = listener.accept()) {
            got[0] = from.inputStream().readAllBytes();
          }
        });
  }

  @Test
  void bytes_arriveOnceAndInOrder_whateverTheLinkDoes() {
    for (long seed = 0; seed < 20; seed++) {
      byte[] bytes = random(seed, 300_000);
      byte[][] got = new byte[1][];
      Faults faults = Faults.severe().withReset(0).withNameFailure(0);
      sent(seed, network -> network.setFaults(faults), bytes, got);
      assertThat(Arrays.hashCode(got[0])).isEqualTo(Arrays.hashCode(bytes));
    }
  }

  @Test
  void bandwidth_boundsAStream() {
    LinkOptions slow = LinkOptions.defaults().withBytesPerSecond(1_000);
    Duration took =
        sent(1, network -> network.setLinkOptions(slow), new byte[100_000], new byte[1][]);
    assertThat(took).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(110));
  }

  @Test
  void writer_whosePeerDoesNotRead_isHeldByFullBuffers() {
    ByteBuffer much = ByteBuffer.allocate(10 << 20);
    run(
        1,
        _ -> {},
        () -> {
          Listener listener = Tcp.listen(new InetSocketAddress(PORT));
          StreamSocket client = listener.accept();
          Heddle.delay(Duration.ofDays(1_000));
          client.close();
        },
        () -> {
          StreamSocket to = Tcp.connect("peer", PORT);
          assertThatThrownBy(
                  () -> Heddle.withTimeout(Duration.ofHours(1), (Action) () -> to.write(much)))
              .isInstanceOf(DeadlineException.class);
          to.close();
        });
    // both buffers, and one segment
    assertThat(much.position()).isBetween(192 << 10, (192 << 10) + 1_460);
  }

  @Test
  void reset_breaksBothEnds() {
    List<String> seen = new ArrayList<>();
    run(
        1,
        network -> network.setFaults(Faults.defaults().withReset(1)),
        () -> {
          try (Listener listener = Tcp.listen(new InetSocketAddress(PORT));
              StreamSocket client = listener.accept()) {
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                .hasMessage("Connection reset");
            seen.add("server");
          }
        },
        () -> {
          try (StreamSocket server = Tcp.connect("peer", PORT)) {
            Heddle.delay(Duration.ofSeconds(1)); // it has been accepted
            server.write(ByteBuffer.allocate(1));
            assertThatThrownBy(() -> server.read(ByteBuffer.allocate(1)))
                .hasMessage("Connection reset");
            seen.add("client");
            Heddle.delay(Duration.ofSeconds(1));
          }
        });
    assertThat(seen).containsExactlyInAnyOrder("server", "client");
  }

  @Test
  void datagrams_areLostAndDoubled_asOftenAsTheFaultsSay() {
    int[] got = new int[1];
    Faults faults = Faults.defaults().withDatagramLoss(0.3).withDatagramDuplication(0.1);
    run(
        1,
        network -> network.setFaults(faults),
        () -> {
          UdpSocket socket = Udp.bind(new InetSocketAddress(PORT));
          while (true) {
            socket.receive(ByteBuffer.allocate(10));
            got[0]++;
          }
        },
        () -> {
          InetAddress peer = Simulation.network().host("peer").address();
          try (UdpSocket socket = Udp.bind(new InetSocketAddress(0))) {
            for (int i = 0; i < 2_000; i++) {
              socket.send(ByteBuffer.allocate(1), new InetSocketAddress(peer, PORT));
              Heddle.delay(Duration.ofMillis(10));
            }
          }
        });
    assertThat(got[0]).isBetween(1_400, 1_680); // 2000 * 0.7 * 1.1 = 1540
  }

  @Test
  void names_leadToHosts_andFailWithTheSystemsMessages() {
    Duration took =
        run(
            1,
            _ -> {},
            () -> {},
            () -> {
              SimulatedNetwork network = Simulation.network();
              SimulatedHost server = network.host("server");
              network.setName("alias.example", server.address());
              assertThat(Dns.resolve("server")).containsExactlyElementsOf(server.addresses());
              assertThat(Dns.resolve("alias.example")).containsExactly(server.address());
              assertThatThrownBy(() -> Dns.resolve("nobody.example"))
                  .isInstanceOf(UnknownHostException.class)
                  .hasMessage("nobody.example: Name or service not known");
              network.setFaults(Faults.defaults().withNameFailure(1));
              assertThatThrownBy(() -> Dns.resolve("server"))
                  .hasMessage("server: Temporary failure in name resolution");
            });
    assertThat(took).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
  }

  @Test
  void connections_toNobody_failAsTheyDoOnLinux() {
    Duration took =
        run(
            1,
            _ -> {},
            () -> {},
            () -> {
              InetAddress server = Simulation.network().host("server").address();
              assertThatThrownBy(() -> Tcp.connect(new InetSocketAddress(server, PORT)))
                  .isInstanceOf(ConnectException.class)
                  .hasMessageContaining("Connection refused");
              InetAddress nobody = InetAddress.ofLiteral("10.0.0.99");
              assertThatThrownBy(() -> Tcp.connect(new InetSocketAddress(nobody, PORT)))
                  .isInstanceOf(NoRouteToHostException.class);
            });
    assertThat(took).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
  }
}
