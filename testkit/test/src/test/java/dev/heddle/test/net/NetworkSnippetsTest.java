// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Registration;
import dev.heddle.io.Dns;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Udp;
import dev.heddle.io.UdpSocket;
import dev.heddle.test.net.Link.Partition;
import dev.heddle.test.node.NodeGroup;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of simulated networks shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetworkSnippetsTest {
  private final NodeGroup group = new NodeGroup(17);

  /// Welcomes each client.
  private static void serve() throws IOException {
    try (Listener listener = Tcp.listen(new InetSocketAddress(80))) {
      while (true) {
        try (StreamSocket client = listener.accept()) {
          client.write(UTF_8.encode("welcome\n"));
        }
      }
    }
  }

  private static @Nullable String ask(SimulatedHost server) throws IOException {
    try (StreamSocket socket = Tcp.connect(new InetSocketAddress(server.address(), 80))) {
      return socket.readLine();
    }
  }

  @Test
  void network() {
    // @start region=network
    SimulatedNetwork network = group.network(); // of a NodeGroup
    SimulatedHost server = network.host("server");
    network.setName("shop.example", server.address());
    group.node(
        network.host("client"),
        () -> {
          assertThat(Dns.resolve("server")).containsExactlyElementsOf(server.addresses());
          assertThat(Dns.resolve("shop.example")).containsExactly(server.address());
        });
    group.run();
    // @end
    assertThat(network.hosts()).hasSize(2);
  }

  @Test
  void faults() {
    // @start region=faults
    SimulatedNetwork network = group.network();
    network.setFaults(Faults.usual().withDatagramLoss(1)); // all are lost
    SimulatedHost server = network.host("server");
    group.node(
        network.host("client"),
        () -> {
          try (UdpSocket socket = Udp.bind(new InetSocketAddress(0))) {
            socket.send(UTF_8.encode("hello"), new InetSocketAddress(server.address(), 53));
            Action answer = () -> socket.receive(ByteBuffer.allocate(512));
            assertThatThrownBy(() -> Heddle.withTimeout(Duration.ofSeconds(5), answer))
                .isInstanceOf(DeadlineException.class);
          }
        });
    group.run();
    // @end
    assertThat(group.elapsed()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
  }

  @Test
  void links() {
    // @start region=links
    SimulatedNetwork network = group.network();
    SimulatedHost server = network.host("server");
    SimulatedHost client = network.host("client");
    Latency satellite =
        Latency.between(Duration.ofMillis(250), Duration.ofMillis(300))
            .withTail(0.01, Duration.ofSeconds(2));
    LinkOptions slow = LinkOptions.defaults().withLatency(satellite).withBytesPerSecond(10_000);
    network.link(client, server).setOptions(slow);
    network.link(server, client).setOptions(slow);
    group.service(server, () -> serve());
    group.node(client, () -> assertThat(ask(server)).isEqualTo("welcome"));
    group.run();
    assertThat(group.elapsed()).isGreaterThan(Duration.ofMillis(750)); // three packets
    // @end
  }

  @Test
  void partition() {
    // @start region=partition
    SimulatedNetwork network = group.network();
    SimulatedHost server = network.host("server");
    SimulatedHost client = network.host("client");
    group.service(server, () -> serve());
    group.node(
        client,
        () -> {
          Registration cut = network.partition(List.of(server), List.of(client), Partition.DROP);
          assertThatThrownBy(() -> ask(server))
              .isInstanceOf(ConnectException.class)
              .hasMessageContaining("Connection timed out");
          cut.close();
          assertThat(ask(server)).isEqualTo("welcome");
        });
    group.run();
    // @end
    assertThat(network.link(client, server).isCut()).isFalse();
  }

  @Test
  void events() {
    // @start region=events
    List<NetworkEvent> events = new ArrayList<>();
    group.network().observe(events::add);
    SimulatedHost server = group.network().host("server");
    group.service(server, () -> serve());
    group.node(group.network().host("client"), () -> ask(server));
    group.run();
    assertThat(events)
        .extracting(NetworkEvent::kind)
        .startsWith(NetworkEvent.Kind.CONNECT, NetworkEvent.Kind.CONNECTED, NetworkEvent.Kind.DATA);
    // @end
    assertThat(events).extracting(NetworkEvent::bytes).contains("welcome\n".length());
  }
}
