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
import dev.heddle.test.node.NodeGroup;
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

  /// Sends bytes from one host to another.
  private static byte[] sent(NodeGroup group, byte[] bytes) {
    SimulatedHost receiver = group.network().host("receiver");
    byte[][] got = new byte[1][];
    group.node(
        receiver,
        () -> {
          try (Listener listener = Tcp.listen(new InetSocketAddress(PORT));
              StreamSocket from = listener.accept()) {
            got[0] = from.inputStream().readAllBytes();
          }
        });
    group.node(
        group.network().host("sender"),
        () -> {
          try (StreamSocket to = Tcp.connect("receiver", PORT)) {
            to.write(ByteBuffer.wrap(bytes));
          }
        });
    group.run();
    return got[0];
  }

  @Test
  void bytes_arriveOnceAndInOrder_whateverTheLinkDoes() {
    for (long seed = 0; seed < 20; seed++) {
      NodeGroup group = new NodeGroup(seed);
      group.network().setFaults(Faults.severe().withReset(0).withNameFailure(0));
      byte[] bytes = random(seed, 300_000);
      assertThat(Arrays.hashCode(sent(group, bytes))).isEqualTo(Arrays.hashCode(bytes));
    }
  }

  @Test
  void bandwidth_boundsAStream() {
    NodeGroup group = new NodeGroup(1);
    group.network().setLinkOptions(LinkOptions.local().withBytesPerSecond(1_000));
    sent(group, new byte[100_000]);
    assertThat(group.elapsed()).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(110));
  }

  @Test
  void writer_whosePeerDoesNotRead_isHeldByFullBuffers() {
    NodeGroup group = new NodeGroup(1);
    long[] written = new long[1];
    group.service(
        group.network().host("server"),
        () -> {
          Listener listener = Tcp.listen(new InetSocketAddress(PORT));
          StreamSocket client = listener.accept();
          Heddle.delay(Duration.ofDays(1_000));
          client.close();
        });
    group.node(
        group.network().host("client"),
        () -> {
          StreamSocket to = Tcp.connect("server", PORT);
          ByteBuffer much = ByteBuffer.allocate(10 << 20);
          assertThatThrownBy(
                  () -> Heddle.withTimeout(Duration.ofHours(1), (Action) () -> to.write(much)))
              .isInstanceOf(DeadlineException.class);
          written[0] = much.position();
          to.close();
        });
    group.run();
    // both buffers, and one segment
    assertThat(written[0]).isBetween(192L << 10, (192L << 10) + 1_460);
  }

  @Test
  void reset_breaksBothEnds() {
    NodeGroup group = new NodeGroup(1);
    group.network().setFaults(Faults.none().withReset(1));
    List<String> seen = new ArrayList<>();
    group.node(
        group.network().host("server"),
        () -> {
          try (Listener listener = Tcp.listen(new InetSocketAddress(PORT));
              StreamSocket client = listener.accept()) {
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                .hasMessage("Connection reset");
            seen.add("server");
          }
        });
    group.node(
        group.network().host("client"),
        () -> {
          try (StreamSocket server = Tcp.connect("server", PORT)) {
            Heddle.delay(Duration.ofSeconds(1)); // it has been accepted
            server.write(ByteBuffer.allocate(1));
            assertThatThrownBy(() -> server.read(ByteBuffer.allocate(1)))
                .hasMessage("Connection reset");
            seen.add("client");
          }
        });
    group.run();
    assertThat(seen).containsExactlyInAnyOrder("server", "client");
  }

  @Test
  void datagrams_areLostAndDoubled_asOftenAsTheFaultsSay() {
    NodeGroup group = new NodeGroup(1);
    group.network().setFaults(Faults.none().withDatagramLoss(0.3).withDatagramDuplication(0.1));
    int[] got = new int[1];
    SimulatedHost server = group.network().host("server");
    group.service(
        server,
        () -> {
          UdpSocket socket = Udp.bind(new InetSocketAddress(PORT));
          while (true) {
            socket.receive(ByteBuffer.allocate(10));
            got[0]++;
          }
        });
    group.node(
        group.network().host("client"),
        () -> {
          try (UdpSocket socket = Udp.bind(new InetSocketAddress(0))) {
            for (int i = 0; i < 2_000; i++) {
              socket.send(ByteBuffer.allocate(1), new InetSocketAddress(server.address(), PORT));
              Heddle.delay(Duration.ofMillis(10));
            }
          }
        });
    group.run();
    assertThat(got[0]).isBetween(1_400, 1_680); // 2000 * 0.7 * 1.1 = 1540
  }

  @Test
  void faultThatIsAdded_leavesTheDrawsOfOthersAsTheyWere() {
    List<Long> without = new ArrayList<>();
    List<Long> with = new ArrayList<>();
    for (List<Long> times : List.of(without, with)) {
      Chance chance = new Chance(5);
      for (int i = 0; i < 100; i++) {
        if (times == with) {
          chance.happens(Chance.Concern.SEGMENT_LOSS, 0.5);
        }
        times.add(chance.between(Chance.Concern.LATENCY, 0, 1_000_000));
      }
    }
    assertThat(with).isEqualTo(without);
  }

  @Test
  void names_leadToHosts_andFailWithTheSystemsMessages() {
    NodeGroup group = new NodeGroup(1);
    SimulatedHost server = group.network().host("server");
    group.network().setName("alias.example", server.address());
    group.node(
        group.network().host("client"),
        () -> {
          assertThat(Dns.resolve("server")).containsExactlyElementsOf(server.addresses());
          assertThat(Dns.resolve("alias.example")).containsExactly(server.address());
          assertThatThrownBy(() -> Dns.resolve("nobody.example"))
              .isInstanceOf(UnknownHostException.class)
              .hasMessage("nobody.example: Name or service not known");
          group.network().setFaults(Faults.none().withNameFailure(1));
          assertThatThrownBy(() -> Dns.resolve("server"))
              .hasMessage("server: Temporary failure in name resolution");
        });
    group.run();
    assertThat(group.elapsed()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
  }

  @Test
  void connections_toNobody_failAsTheyDoOnLinux() {
    NodeGroup group = new NodeGroup(1);
    SimulatedHost server = group.network().host("server");
    group.node(
        group.network().host("client"),
        () -> {
          assertThatThrownBy(() -> Tcp.connect(new InetSocketAddress(server.address(), PORT)))
              .isInstanceOf(ConnectException.class)
              .hasMessageContaining("Connection refused");
          InetAddress nobody = InetAddress.ofLiteral("10.0.0.99");
          assertThatThrownBy(() -> Tcp.connect(new InetSocketAddress(nobody, PORT)))
              .isInstanceOf(NoRouteToHostException.class);
        });
    group.run();
    assertThat(group.elapsed()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
  }
}
